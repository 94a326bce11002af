package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// The hooks that gavel can be: before a commit it reviews the index, before a push what the push would publish.
const (
	hookPreCommit = "pre-commit"
	hookPrePush   = "pre-push"
)

// HookInput names a hook of the repository.
type HookInput struct {
	Hook   string `json:"hook,omitempty" doc:"pre-commit (default) or pre-push" enum:"pre-commit,pre-push"`
	Force  bool   `json:"force,omitempty" doc:"replace a foreign hook, keep a backup"`
	Binary string `json:"binary,omitempty" doc:"gavel that the hook runs; default: this"`
}

// HookUninstallInput names a hook of the repository.
type HookUninstallInput struct {
	Hook string `json:"hook,omitempty" doc:"pre-commit (default) or pre-push" enum:"pre-commit,pre-push"`
}

// HookOutput says what became of a hook.
type HookOutput struct {
	SchemaVersion string   `json:"schema_version"`
	Hook          string   `json:"hook"`
	Path          string   `json:"path"`
	Action        string   `json:"action"`           // installed, updated, unchanged, replaced, removed, restored
	Backup        string   `json:"backup,omitempty"` // where the foreign hook was kept
	Notes         []string `json:"notes"`
}

// HookInstall writes a git hook. It is one of the few commands that write into the repository, and it grants trust:
// never offered over MCP.
var HookInstall = Op[HookInput, *HookOutput]{
	Name: "hook install",
	Doc:  "Install gavel as a git hook, pre-commit by default: a blocked change is not committed or pushed.",
	Long: `The hook is written where git looks for it: core.hooksPath and linked worktrees are respected. A hook that is not
gavel's own is left alone; with --force it is kept as <hook>.gavel-backup. The hook stops on a blocked change and on one
that could not be judged; a policy with mode shadow or warn lets blocked changes through. git's --no-verify skips it.`,
	Example:    "  gavel hook install\n  gavel hook install pre-push",
	Doors:      CLI,
	Positional: "hook",
	Run:        runHookInstall,
	Render:     renderHook,
}

func runHookInstall(ctx context.Context, env *Env, in HookInput) (*HookOutput, error) {
	hook, repo, err := openHook(ctx, env, in.Hook)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	binary, err := hookBinary(env, in.Binary)
	if err != nil {
		return nil, err
	}
	out, err := hook.install(hookScript(hook.name, binary), in.Force)
	if err != nil {
		return nil, err
	}
	out.Notes = append(out.Notes, hookNotes(repo, hook)...)
	return out, nil
}

// openHook finds the file of a hook; the caller closes the repository.
func openHook(ctx context.Context, env *Env, name string) (hookFile, *git.Repo, error) {
	if name == "" {
		name = hookPreCommit
	}
	if err := checkEnum("hook", name, hookPreCommit, hookPrePush); err != nil {
		return hookFile{}, nil, err
	}
	repo, err := openRepo(ctx, env, "")
	if err != nil {
		return hookFile{}, nil, err
	}
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		repo.Close()
		return hookFile{}, nil, err
	}
	return hookFile{name, filepath.Join(dir, name)}, repo, nil
}

// hookNotes says what a person would want to know about where the hook went.
func hookNotes(repo *git.Repo, hook hookFile) []string {
	dir := filepath.Dir(hook.path)
	switch {
	case within(repo.CommonDir, dir):
		return nil
	case within(repo.Root, dir):
		return []string{"core.hooksPath lies in the work tree: the hook is a file there, and may be committed"}
	}
	return []string{"core.hooksPath lies outside of this repository: the hook runs in every repository that shares it"}
}

// within reports whether path is dir or lies below it. Both are absolute.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func renderHook(w io.Writer, o *HookOutput, _ RenderOptions) error {
	fmt.Fprintf(w, "%s: %s %s\n", o.Hook, o.Action, untrusted.Visible(o.Path))
	if o.Backup != "" {
		fmt.Fprintf(w, "the hook that was there is kept as %s\n", untrusted.Visible(o.Backup))
	}
	for _, note := range o.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	return nil
}

// HookUninstall removes what HookInstall wrote.
var HookUninstall = Op[HookUninstallInput, *HookOutput]{
	Name:       "hook uninstall",
	Doc:        "Remove gavel's own git hook and put back the hook that it replaced.",
	Long:       "A hook that is not gavel's own, or that was edited since, is left alone.",
	Example:    "  gavel hook uninstall pre-push",
	Doors:      CLI,
	Positional: "hook",
	Run:        runHookUninstall,
	Render:     renderHook,
}

func runHookUninstall(ctx context.Context, env *Env, in HookUninstallInput) (*HookOutput, error) {
	hook, repo, err := openHook(ctx, env, in.Hook)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	return hook.uninstall()
}
