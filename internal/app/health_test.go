package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	repo := newCheckout(t)
	repo.write("go.mod", "module x\n")
	repo.git("add", ".")
	env := testEnv(t, map[string]string{"PATH": os.Getenv("PATH")})
	tests := []struct {
		name    string
		door    Doors
		repo    string
		dflt    string
		dir     string
		profile string
		class   gavel.Class
	}{
		{name: "global probe", door: MCP},
		{name: "the server's repository is not asked", door: MCP, dflt: repo.dir},
		{name: "given", door: MCP, repo: repo.dir, profile: "go"},
		{name: "given on the command line", door: CLI, dflt: repo.dir, profile: "go"},
		{name: "where a person stands", door: CLI, dir: repo.dir, profile: "go"},
		{name: "where no repository is", door: CLI},
		{name: "relative", door: MCP, repo: "x", class: gavel.RepoNotFound},
		{name: "no repository", door: MCP, repo: env.Dir, class: gavel.NotAGitRepo},
		{name: "nowhere", door: MCP, repo: filepath.Join(env.Dir, "gone"), class: gavel.RepoNotFound},
	}
	for _, tt := range tests {
		e := *env
		e.Door, e.DefaultRepo, e.Dir = tt.door, tt.dflt, cmp.Or(tt.dir, e.Dir)
		out, err := runHealth(context.Background(), &e, HealthInput{tt.repo})
		if tt.class != "" {
			if err == nil || gavel.AsError(err).Class != tt.class {
				t.Errorf("%s: error %v, want class %s", tt.name, err, tt.class)
			}
			continue
		}
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case out.DepsGlobal.Git == nil:
			t.Errorf("%s: git was not found", tt.name)
		case tt.profile == "" && (out.DepsRepo != nil || out.DepsReason == ""):
			t.Errorf("%s: %+v, want no repository and a reason", tt.name, out)
		case tt.profile != "" && (out.DepsRepo == nil || out.DepsRepo.Profile != tt.profile || !out.DepsRepo.Tools["go"] || out.DepsReason != ""):
			t.Errorf("%s: %+v, want profile %s", tt.name, out, tt.profile)
		}
	}
}

func TestHealthOnTheWire(t *testing.T) {
	t.Parallel()
	version := "2.45.1"
	out := &HealthOutput{
		SchemaVersion: gavel.WireVersion, Version: "1.0.0", Protocol: gavel.WireVersion,
		DepsGlobal: DepsGlobal{&version}, DepsRepo: &DepsRepo{"go", map[string]bool{"go": true}},
	}
	data, err := json.Marshal(out)
	want := `{"schema_version":"gavel.mcp.v1","version":"1.0.0","protocol":"gavel.mcp.v1","deps_global":{"git":"2.45.1"},` +
		`"deps_repo":{"profile":"go","tools":{"go":true}},"deps_repo_reason":""}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v\nwant %s", data, err, want)
	}
	data, err = json.Marshal(&HealthOutput{DepsReason: "no repository was given"})
	want = `{"schema_version":"","version":"","protocol":"","deps_global":{"git":null},"deps_repo":null,"deps_repo_reason":"no repository was given"}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v\nwant %s", data, err, want)
	}
	var b bytes.Buffer
	if err := Health.Render(&b, out, RenderOptions{}); err != nil || b.String() != "gavel 1.0.0, protocol gavel.mcp.v1\ngit: 2.45.1\nstack: go\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
