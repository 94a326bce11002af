package cli

import (
	"bytes"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gavel-review/gavel/internal/app"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	text := "gavel " + Version()
	for _, args := range []string{"version", "--version", "-q --version", "version --format text"} {
		if r := run(t, strings.Fields(args)...); r.code != 0 || !strings.HasPrefix(r.stdout, text) || strings.Count(r.stdout, "\n") != 1 {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for _, args := range []string{"version --json", "--json version", "--version --json", "-q --version --json", "version --format json"} {
		var got buildOutput
		r := run(t, strings.Fields(args)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Version != Version() || got.OS != runtime.GOOS || got.Arch != runtime.GOARCH {
			t.Errorf("%s: %v %+v", args, err, r)
		}
	}
}

// The version is printed without asking for the operations.
func TestVersionBuildsNothing(t *testing.T) {
	t.Parallel()
	doors := Doors{Operations: func() []app.Operation { panic("built") }}
	for _, args := range [][]string{{"version"}, {"--version"}, {"version", "--json"}, {"--json", "--version"}} {
		if r := (call{args: args, doors: &doors}).run(t); r.code != 0 {
			t.Errorf("%q: %+v", args, r)
		}
	}
}

func TestBuildInfo(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
	}}
	tests := []struct {
		given buildOutput
		info  *debug.BuildInfo
		want  string
	}{
		{buildOutput{}, info, "gavel 1.2.3 (0123456789ab, modified)  /\n"},
		{buildOutput{Version: "2.0.0", Commit: "abc"}, info, "gavel 2.0.0 (abc, modified)  /\n"},
		{buildOutput{Version: "2.0.0"}, &debug.BuildInfo{}, "gavel 2.0.0  /\n"},
		{buildOutput{}, &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "gavel   /\n"},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		tt.given.complete(tt.info)
		if err := tt.given.text(&b); err != nil || b.String() != tt.want {
			t.Errorf("%q, want %q", b.String(), tt.want)
		}
	}
}
