package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// OpenInput names a run.
type OpenInput struct {
	RunID string `json:"run_id,omitempty" doc:"a run; default: the latest for HEAD"`
	Print bool   `json:"print,omitempty" doc:"only print where the report lies"`
}

// OpenOutput says where the report lies, and whether something was asked to show it.
type OpenOutput struct {
	SchemaVersion string `json:"schema_version"`
	RunID         string `json:"run_id"`
	Path          string `json:"path"` // absolute
	Opened        bool   `json:"opened"`
	Reason        string `json:"reason,omitempty"` // why it was not opened though it should have been
}

// Open shows the report of a run to whoever sits at the screen.
var Open = Op[OpenInput, *OpenOutput]{
	Name: "open",
	Doc:  "Open the report of a run in the browser. Without an id: the latest run for HEAD.",
	Long: `The report is one file that needs nothing beside it and loads nothing. Its path is printed in any case; where there is no
display, or nothing to open it with (xdg-open, open), that is all. Nobody waits for the browser.`,
	Example:    "  gavel open\n  gavel open 20261130-101500-0123456789ab\n  gavel open --print",
	Doors:      CLI,
	ReadOnly:   true,
	Positional: "run_id",
	Run:        runOpen,
	Render:     renderOpen,
}

func runOpen(ctx context.Context, env *Env, in OpenInput) (*OpenOutput, error) {
	repo, err := openRepo(ctx, env, "")
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	row, err := findRun(env, repo, in.RunID)
	if err != nil {
		return nil, err
	}
	if _, err := store.Open(env.Getenv).PackFile(runRepo(repo), row.ID, store.PackHTML); err != nil {
		if e := gavel.AsError(err); e.Class == gavel.ArtifactMissing {
			return nil, e.WithHint("an older gavel made that run: start another, gavel run")
		}
		return nil, err
	}
	out := &OpenOutput{SchemaVersion: gavel.WireVersion, RunID: row.ID, Path: filepath.Join(row.Dir, store.PackHTML)}
	if in.Print {
		return out, nil
	}
	opener, why := openerOf(env, runtime.GOOS)
	if why == "" {
		if err := (proc.Command{Argv: []string{opener, out.Path}, Dir: "/", Env: os.Environ()}).Launch(); err != nil {
			why = err.Error()
		}
	}
	out.Opened, out.Reason = why == "", why
	return out, nil
}

// openerOf is the program that opens files the way the user's desktop does, or why there is none.
func openerOf(env *Env, system string) (path, why string) {
	program, display := "xdg-open", env.Getenv("DISPLAY") != "" || env.Getenv("WAYLAND_DISPLAY") != ""
	if system == "darwin" {
		program, display = "open", env.Getenv("SSH_CONNECTION") == ""
	}
	if !display {
		return "", "there is no display"
	}
	if path = inPath(env, program); path == "" {
		return "", "there is no " + program + " in PATH"
	}
	return path, ""
}

func renderOpen(w io.Writer, o *OpenOutput, _ RenderOptions) error {
	if o.Reason != "" {
		_, err := fmt.Fprintf(w, "%s\nnot opened: %s\n", untrusted.Visible(o.Path), untrusted.Visible(o.Reason))
		return err
	}
	_, err := fmt.Fprintln(w, untrusted.Visible(o.Path))
	return err
}
