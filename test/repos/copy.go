package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// work is the copy of a repository that faults are planted into. Its branch of origin's HEAD is the base of every run.
type work struct {
	dir    string
	start  string // the commit that was checked out
	branch string
}

// copyRepository copies a repository with what git ignores: its dependencies.
func copyRepository(from, to string) (*work, error) {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copying: %s", bytes.TrimSpace(out))
	}
	w := &work{dir: to}
	err := w.relocate(from)
	if err != nil {
		return nil, err
	}
	if w.branch, err = w.git("symbolic-ref", "--short", "HEAD"); err != nil {
		return nil, err
	}
	if w.start, err = w.git("rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	for _, setting := range [][2]string{{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"commit.gpgSign", "false"}, {"core.hooksPath", os.DevNull}} {
		if _, err := w.git("config", setting[0], setting[1]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// relocate makes a virtual environment of Python lead to the copy: its scripts and what is installed as a link name the
// folder that they were made in.
func (w *work) relocate(from string) error {
	was, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	var files []string
	for _, pattern := range []string{"pyvenv.cfg", "bin/*", "lib/python*/site-packages/*.pth", "lib/python*/site-packages/__editable__*"} {
		found, err := filepath.Glob(filepath.Join(w.dir, ".venv", filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, name := range files {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, bytes.ReplaceAll(data, []byte(was), []byte(w.dir)), info.Mode()); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=repos", "-c", "user.email=repos@example.com"}, args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// lay makes the base from the first edits and the change from the second, and checks the change out.
func (w *work) lay(base, change []edit) error {
	if _, err := w.git("checkout", "-q", "-f", "-B", "driven", w.start); err != nil {
		return err
	}
	if _, err := w.git("clean", "-fdq"); err != nil {
		return err
	}
	if err := w.commit("the base", base); err != nil {
		return err
	}
	remote := "refs/remotes/origin/" + w.branch
	if _, err := w.git("update-ref", remote, "HEAD"); err != nil {
		return err
	}
	if _, err := w.git("symbolic-ref", "refs/remotes/origin/HEAD", remote); err != nil {
		return err
	}
	return w.commit("the change", change)
}

func (w *work) commit(message string, edits []edit) error {
	for _, e := range edits {
		if err := w.apply(e); err != nil {
			return err
		}
		if _, err := w.git("add", "--", e.File); err != nil {
			return err
		}
	}
	_, err := w.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
	return err
}

func (w *work) apply(e edit) error {
	path := filepath.Join(w.dir, filepath.FromSlash(e.File))
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	switch {
	case e.Find == "":
		data = append(data, e.Text...)
	case !bytes.Contains(data, []byte(e.Find)):
		return fmt.Errorf("%s does not hold %q", e.File, e.Find)
	default:
		data = bytes.Replace(data, []byte(e.Find), []byte(e.Text), 1)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// exclude has git ignore a pattern in this copy.
func (w *work) exclude(pattern string) error {
	f, err := os.OpenFile(filepath.Join(w.dir, ".git", "info", "exclude"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + pattern + "\n")
	return errors.Join(err, f.Close())
}

// status is what git says of the files, in a state.
const status = "git status"

// state is what a run must leave as it is: every byte, mode and time below .git, and what git says of the files.
func (w *work) state() (map[string]string, error) {
	said, err := w.git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	s := map[string]string{status: said}
	git := filepath.Join(w.dir, ".git")
	err = filepath.WalkDir(git, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() && info.Size() < 1<<20 {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		s[path[len(w.dir)+1:]] = fmt.Sprintf("%v %d %d %s", info.Mode(), info.ModTime().UnixNano(), info.Size(), content)
		return nil
	})
	return s, err
}

// differences names what is not as it was.
func differences(before, after map[string]string) []string {
	var names []string
	for name, was := range before {
		switch {
		case after[name] == was:
		case name == status:
			names = append(names, name+": "+after[name])
		default:
			names = append(names, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}
