package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gavel-review/gavel"
)

// What became of a hook.
const (
	hookInstalled = "installed"
	hookUpdated   = "updated"
	hookUnchanged = "unchanged"
	hookReplaced  = "replaced"
	hookRemoved   = "removed"
	hookRestored  = "restored"
)

// maxHook bounds what is read of a hook to learn whose it is, in bytes.
const maxHook = 1 << 20

// hookFile is one hook of a repository: its name, and the file that git runs for it.
type hookFile struct{ name, path string }

func (h hookFile) backup() string { return h.path + ".gavel-backup" }

// hookState is what lies at a hook's path.
type hookState struct {
	exists bool
	owner  hookOwner
	text   string
	mode   fs.FileMode
}

// read looks at the hook without following a link: a link belongs to whoever made it.
func (h hookFile) read() (hookState, error) {
	info, err := os.Lstat(h.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hookState{}, nil
	case err != nil:
		return hookState{}, hookError(err)
	case info.IsDir():
		return hookState{}, gavel.Errorf(gavel.Conflict, "%s is a folder", gavel.DisplayPath(h.path))
	}
	s := hookState{exists: true, mode: info.Mode()}
	if !info.Mode().IsRegular() || info.Size() > maxHook {
		return s, nil
	}
	data, err := os.ReadFile(h.path)
	if err != nil {
		return hookState{}, hookError(err)
	}
	s.text = string(data)
	s.owner = ownerOf(h.name, s.text)
	return s, nil
}

// install puts the script in place. What is not gavel's own stays, or with force is moved aside.
func (h hookFile) install(script string, force bool) (*HookOutput, error) {
	if err := h.makeFolder(); err != nil {
		return nil, err
	}
	state, err := h.read()
	if err != nil {
		return nil, err
	}
	out := &HookOutput{SchemaVersion: gavel.WireVersion, Hook: h.name, Path: h.path, Action: hookInstalled, Notes: []string{}}
	switch {
	case !state.exists:
		return out, h.write(script, nil)
	case state.owner == hookOwn && state.text == script && state.mode.Perm()&0o111 == 0o111:
		out.Action = hookUnchanged
		return out, nil
	case state.owner == hookOwn:
		out.Action = hookUpdated
		return out, h.write(script, nil)
	case !force:
		return nil, h.foreign(state)
	}
	out.Action, out.Backup = hookReplaced, h.backup()
	return out, h.write(script, h.moveAside)
}

func (h hookFile) makeFolder() error {
	dir := filepath.Dir(h.path)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return gavel.Errorf(gavel.Conflict, "git's hooks are switched off: core.hooksPath is %s, which is no folder", gavel.DisplayPath(dir)).
			WithHint("unset core.hooksPath, or point it to a folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return hookError(err)
	}
	return nil
}

func (h hookFile) foreign(s hookState) error {
	what := "there is another hook"
	if s.owner == hookEdited {
		what = "gavel's hook was edited by somebody"
	}
	return gavel.Errorf(gavel.Conflict, "%s at %s", what, gavel.DisplayPath(h.path)).
		WithHint("call `gavel hook run %s -- \"$@\"` from it, or replace it with --force (it is kept as %s)", h.name, filepath.Base(h.backup()))
}

// moveAside keeps the hook that is there. An older backup is never overwritten.
func (h hookFile) moveAside() error {
	if _, err := os.Lstat(h.backup()); !errors.Is(err, fs.ErrNotExist) {
		return gavel.Errorf(gavel.Conflict, "%s is in the way: it is the backup of an earlier hook", gavel.DisplayPath(h.backup())).
			WithHint("move it elsewhere")
	}
	return os.Rename(h.path, h.backup())
}

// write puts the script in place at once and whole; before is called when all but the last step has succeeded.
func (h hookFile) write(script string, before func() error) (err error) {
	defer func() {
		if err != nil {
			err = hookError(err)
		}
	}()
	f, err := os.CreateTemp(filepath.Dir(h.path), ".gavel-hook-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing once the file has its name
	_, err = f.WriteString(script)
	if err = errors.Join(err, f.Chmod(0o755), f.Sync(), f.Close()); err != nil {
		return err
	}
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), h.path)
}

// uninstall removes the hook if it is gavel's own, and puts back what it had replaced.
func (h hookFile) uninstall() (*HookOutput, error) {
	state, err := h.read()
	switch {
	case err != nil:
		return nil, err
	case !state.exists:
		return nil, gavel.Errorf(gavel.NotFound, "there is no hook at %s", gavel.DisplayPath(h.path))
	case state.owner == hookForeign:
		return nil, gavel.Errorf(gavel.Conflict, "the hook at %s is not gavel's", gavel.DisplayPath(h.path))
	case state.owner == hookEdited:
		return nil, gavel.Errorf(gavel.Conflict, "the hook at %s was edited by somebody", gavel.DisplayPath(h.path)).WithHint("remove it by hand")
	}
	out := &HookOutput{SchemaVersion: gavel.WireVersion, Hook: h.name, Path: h.path, Action: hookRemoved, Notes: []string{}}
	if _, err := os.Lstat(h.backup()); err == nil {
		out.Action = hookRestored
		return out, hookError(os.Rename(h.backup(), h.path))
	}
	return out, hookError(os.Remove(h.path))
}

// hookError says that the hooks folder could not be changed; nil and an error that has its class stay as they are.
func hookError(err error) error {
	var known *gavel.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return gavel.Errorf(gavel.RunFailed, "the hook could not be changed: %w", err)
}
