package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/app"
)

// version and commit are set by release builds:
//
//	go build -ldflags "-X github.com/gavel-review/gavel/internal/cli.version=1.2.3 -X …cli.commit=0123abcd"
var version, commit string

// buildOutput says which gavel this is.
type buildOutput struct {
	Version  string `json:"version"`            // "devel" when nobody said
	Commit   string `json:"commit,omitempty"`   // of gavel's own repository
	Modified bool   `json:"modified,omitempty"` // built from files that were not committed
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

var build = sync.OnceValue(func() *buildOutput {
	b := &buildOutput{Version: version, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.complete(info)
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
})

// complete takes what the linker was not told from what the go command recorded.
func (b *buildOutput) complete(info *debug.BuildInfo) {
	if b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = strings.TrimPrefix(info.Main.Version, "v")
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && b.Commit == "":
			b.Commit = s.Value
		case s.Key == "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
}

// Version is the version of this program, without a leading v.
func Version() string { return build().Version }

func (b *buildOutput) text(w io.Writer) error {
	source := ""
	if b.Commit != "" {
		source = " (" + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			source += ", modified"
		}
		source += ")"
	}
	_, err := fmt.Fprintf(w, "gavel %s%s %s %s/%s\n", b.Version, source, b.Go, b.OS, b.Arch)
	return err
}

// versionOnly reports whether the version is all that is asked for. That must not cost the building of commands.
func (p *program) versionOnly() bool {
	rest := slices.DeleteFunc(slices.Clone(p.args), func(a string) bool { return a == "--json" })
	return len(rest) == 1 && (rest[0] == "version" || rest[0] == "--version")
}

func (p *program) printVersion() error {
	var b bytes.Buffer
	write := func() error { return build().text(&b) }
	if p.json {
		write = func() error { return encode(&b, build()) }
	}
	if err := write(); err != nil {
		return err
	}
	return standardOutput{p.stdout}.write(b.Bytes())
}

func versionOperation() app.Operation {
	return app.Erase(app.Op[struct{}, *buildOutput]{
		Name:     "version",
		Doc:      "Print the version of gavel.",
		Doors:    app.CLI,
		ReadOnly: true,
		Run:      func(context.Context, *app.Env, struct{}) (*buildOutput, error) { return build(), nil },
		Render:   func(w io.Writer, b *buildOutput, _ app.RenderOptions) error { return b.text(w) },
	})
}
