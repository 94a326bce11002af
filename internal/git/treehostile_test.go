//go:build unix

package git

import (
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gavel-review/gavel"
)

// put puts a subject on disk and lets go of it again.
func (f *fixture) put(folder string, kind gavel.SubjectKind, keep ...string) *Tree {
	f.t.Helper()
	tree, err := f.tryPut(folder, kind, keep...)
	if err != nil {
		f.t.Fatal(err)
	}
	return tree
}

func (f *fixture) tryPut(folder string, kind gavel.SubjectKind, keep ...string) (*Tree, error) {
	f.t.Helper()
	before := f.snapshot()
	defer f.untouched(before)
	r := f.open()
	p, err := r.SubjectTree(f.t.Context(), kind)
	if err != nil {
		return nil, err
	}
	tree, err := r.Materialise(f.t.Context(), p, Placement{Folder: folder, Slot: "subject", Keep: keep})
	if err == nil {
		f.t.Cleanup(tree.Release)
		tree.Release()
	}
	return tree, err
}

// Whatever a tool leaves behind, the next tree is right, nothing outside of it is written, and nothing waits.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "file"), []byte("theirs\n"), 0o644))
	for name, leave := range map[string]func(at func(string) string) error{
		"a pipe for a file": func(at func(string) string) error { os.Remove(at("a")); return syscall.Mkfifo(at("a"), 0o600) },
		"a pipe beside":     func(at func(string) string) error { return syscall.Mkfifo(at("d/pipe"), 0o600) },
		"a link for a file": func(at func(string) string) error {
			os.Remove(at("a"))
			return os.Symlink(filepath.Join(outside, "file"), at("a"))
		},
		"a link for a folder": func(at func(string) string) error { os.RemoveAll(at("d")); return os.Symlink(outside, at("d")) },
		"a link within": func(at func(string) string) error {
			return firstError(os.Rename(at("d"), at("e")), os.Symlink("e", at("d")))
		},
		"a loop":              func(at func(string) string) error { os.RemoveAll(at("d")); return os.Symlink("d", at("d")) },
		"a folder for a file": func(at func(string) string) error { os.Remove(at("a")); return os.MkdirAll(at("a/b/c"), 0o755) },
		"a file for a folder": func(at func(string) string) error { os.RemoveAll(at("d")); return os.WriteFile(at("d"), nil, 0o644) },
		"a hard link": func(at func(string) string) error {
			os.Remove(at("a"))
			return os.Link(filepath.Join(outside, "file"), at("a"))
		},
		"another target": func(at func(string) string) error { os.Remove(at("link")); return os.Symlink("b", at("link")) },
		"a file for a link": func(at func(string) string) error {
			os.Remove(at("link"))
			return os.WriteFile(at("link"), []byte("a"), 0o644)
		},
		"a link for a text": func(at func(string) string) error { os.Remove(at("d/f")); return os.Symlink("f\n", at("d/f")) },
		"no permission":     func(at func(string) string) error { return firstError(os.Chmod(at("a"), 0), os.Chmod(at("d"), 0)) },
		"locked outputs": func(at func(string) string) error {
			return firstError(os.MkdirAll(at("o/p"), 0o755), os.WriteFile(at("o/p/f"), nil, 0o400), os.Chmod(at("o/p"), 0o500), os.Chmod(at("o"), 0o100))
		},
		"one byte":       func(at func(string) string) error { return os.WriteFile(at("a"), []byte("b\n"), 0o644) },
		"a byte more":    func(at func(string) string) error { return os.WriteFile(at("a"), []byte("a\n\n"), 0o644) },
		"nothing left":   func(at func(string) string) error { return os.RemoveAll(at(".")) },
		"a file for all": func(at func(string) string) error { os.RemoveAll(at(".")); return os.WriteFile(at("."), nil, 0o644) },
		"a link for all": func(at func(string) string) error {
			os.RemoveAll(at("."))
			return os.Symlink(outside, strings.TrimSuffix(at("."), "/."))
		},
		"a git directory": func(at func(string) string) error { return os.MkdirAll(at(".git/hooks"), 0o755) },
		"no record":       func(at func(string) string) error { return os.Remove(at(".") + ".files") },
	} {
		f := newFixture(t)
		must(t, os.Symlink("a", f.path("link")))
		f.commit("a", "a\n", "d/f", "f\n", "d/sub/g", "g\n")
		f.write("untracked", "x")
		folder := t.TempDir()
		tree := f.put(folder, gavel.SubjectCommit)
		wanted := onDisk(t, tree.Root)
		if err := leave(func(name string) string { return filepath.Clean(filepath.Join(tree.Root, name)) }); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := f.materialise(folder, gavel.SubjectCommit)
		if got := onDisk(t, again.Root); got != wanted || again.Root != tree.Root {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if got := onDisk(t, outside); got != "file false \"theirs\\n\" <nil>\n" {
		t.Errorf("outside: %s", got)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// What a tool does to the subject is seen, whatever it is; what it puts beside it is not.
func TestVerifySeesEveryKind(t *testing.T) {
	t.Parallel()
	for moved, move := range map[string]func(at func(string) string) error{
		"":  func(at func(string) string) error { return os.WriteFile(at("d/out"), nil, 0o644) },
		"a": func(at func(string) string) error { return os.WriteFile(at("a"), []byte("b\n"), 0o644) },
		"b": func(at func(string) string) error { return os.Remove(at("b")) },
		"d/f d/sub/g": func(at func(string) string) error {
			return firstError(os.Rename(at("d"), at("e")), os.Symlink("e", at("d")))
		},
		"link": func(at func(string) string) error { os.Remove(at("link")); return os.Symlink("b", at("link")) },
		"d/f":  func(at func(string) string) error { return os.Chmod(at("d/f"), 0o755) },
		"d/sub/g": func(at func(string) string) error {
			os.Remove(at("d/sub/g"))
			return syscall.Mkfifo(at("d/sub/g"), 0o600)
		},
		"a b d/f d/sub/g link": func(at func(string) string) error { return os.RemoveAll(at(".")) },
	} {
		f := newFixture(t)
		must(t, os.Symlink("a", f.path("link")))
		f.commit("a", "a\n", "b", "b\n", "d/f", "f\n", "d/sub/g", "g\n")
		f.write("untracked", "x")
		tree := f.materialise(t.TempDir(), gavel.SubjectCommit)
		must(t, move(func(name string) string { return filepath.Join(tree.Root, name) }))
		got, err := tree.Verify(t.Context())
		if moved == "a b d/f d/sub/g link" {
			if err == nil || gavel.AsError(err).Class != gavel.RunFailed {
				t.Errorf("the whole tree is gone: %q, %v", got, err)
			}
		} else if err != nil || strings.Join(got, " ") != moved {
			t.Errorf("%q: %q, %v", moved, got, err)
		}
	}
}

// A tool that writes the same bytes again has changed nothing, and the file keeps the time that it gave it.
func TestTheSameBytesAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n", "b", "b\n")
	f.write("untracked", "x")
	folder := t.TempDir()
	tree := f.put(folder, gavel.SubjectCommit)
	at := filepath.Join(tree.Root, "a")
	must(t, os.WriteFile(at, []byte("a\n"), 0o644))
	must(t, os.Chtimes(at, ago, ago))
	if moved, err := tree.Verify(t.Context()); err != nil || len(moved) > 0 {
		t.Errorf("%q, %v", moved, err)
	}
	must(t, os.Remove(tree.recordPath())) // without a record all is compared by content
	f.put(folder, gavel.SubjectCommit)
	if info, err := os.Stat(at); err != nil || !info.ModTime().Equal(ago) {
		t.Errorf("written again: %v, %v", info.ModTime(), err)
	}
	if files := (&Tree{Root: tree.Root, repo: tree.repo}).readRecord(); len(files) != 2 {
		t.Errorf("the record is not made again: %v", files)
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n", "pkg/b", "b\n", "target/tracked", "t\n")
	f.write("untracked", "x")
	folder := t.TempDir()
	keep := []string{"node_modules", "pkg/cache", "target"}
	tree := f.put(folder, gavel.SubjectCommit, keep...)
	for _, name := range []string{"node_modules/x", "pkg/node_modules/y", "pkg/cache/z", "cache/gone", "target/debug/o", "gone/node_modules/x"} {
		must(t, os.MkdirAll(filepath.Join(tree.Root, filepath.Dir(name)), 0o755))
		must(t, os.WriteFile(filepath.Join(tree.Root, name), nil, 0o644))
	}
	must(t, os.Remove(filepath.Join(tree.Root, "target/tracked")))
	f.put(folder, gavel.SubjectCommit, keep...)
	want(t, onDisk(t, tree.Root), `
a false "a\n" <nil>
node_modules/
node_modules/x false "" <nil>
pkg/
pkg/b false "b\n" <nil>
pkg/cache/
pkg/cache/z false "" <nil>
pkg/node_modules/
pkg/node_modules/y false "" <nil>
target/
target/debug/
target/debug/o false "" <nil>
target/tracked false "t\n" <nil>
`)
	f.put(folder, gavel.SubjectCommit)
	want(t, onDisk(t, tree.Root), "a false \"a\\n\" <nil>\npkg/\npkg/b false \"b\\n\" <nil>\ntarget/\ntarget/tracked false \"t\\n\" <nil>\n")
}

// rawTree writes a tree object that git itself would not make.
func (f *fixture) rawTree(entries ...string) string {
	f.t.Helper()
	var tree strings.Builder
	for i := 0; i < len(entries); i += 3 {
		id, err := hex.DecodeString(entries[i+2])
		must(f.t, err)
		tree.WriteString(entries[i] + " " + entries[i+1] + "\x00" + string(id))
	}
	return f.gitIn(tree.String(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
}

// A tree that no checkout may hold is refused, and nothing of it is written.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n")
	blob := f.gitIn("x\n", "hash-object", "-w", "--stdin")
	link := f.gitIn("../../..", "hash-object", "-w", "--stdin")
	long := f.gitIn(strings.Repeat("x", 5000), "hash-object", "-w", "--stdin")
	nul := f.gitIn("a\x00b", "hash-object", "-w", "--stdin")
	file := f.rawTree("100644", "x", blob)
	missing, outside := strings.Repeat("ab", 20), filepath.Join(t.TempDir(), "outside")
	for name, tree := range map[string]string{
		"a git directory":         f.rawTree("40000", ".git", file),
		"one in capitals":         f.rawTree("40000", ".GIT", file),
		"one for Windows":         f.rawTree("40000", "git~1", file),
		"one below":               f.rawTree("40000", "d", f.rawTree("100644", ".Git", blob)),
		"the folder above":        f.rawTree("40000", "..", file),
		"the folder itself":       f.rawTree("40000", ".", file),
		"a slash":                 f.rawTree("100644", "../x", blob),
		"an absolute path":        f.rawTree("100644", outside, blob),
		"one name twice":          f.rawTree("100644", "x", blob, "100644", "x", blob),
		"a link and a folder":     f.rawTree("120000", "x", link, "40000", "x", file),
		"a folder and a link":     f.rawTree("40000", "x", file, "120000", "x", link),
		"a missing blob":          f.rawTree("100644", "x", missing),
		"a tree for a blob":       f.rawTree("100644", "x", file),
		"a long link":             f.rawTree("120000", "x", long),
		"a link with a NUL":       f.rawTree("120000", "x", nul),
		"a name that is too long": f.rawTree("100644", strings.Repeat("n", 300), blob),
	} {
		r := f.open()
		folder := t.TempDir()
		p := Pinned{Subject: gavel.Subject{Kind: gavel.SubjectCommit, Tree: tree}}
		_, err := r.Materialise(t.Context(), p, Placement{Folder: folder, Slot: "subject"})
		if err == nil || gavel.AsError(err).Class != gavel.RunFailed {
			t.Errorf("%s: %v", name, err)
		}
		if left := onDisk(t, folder); strings.Count(left, "\n") > 3 || strings.Contains(left, "x\\n") {
			t.Errorf("%s leaves %s", name, left)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("something was written outside")
	}
}

// The file system may take two names for one; that is said, and not written over.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n")
	r := f.open()
	tree := &Tree{Root: t.TempDir(), repo: r}
	root, err := os.OpenRoot(tree.Root)
	must(t, err)
	defer root.Close()
	for _, mode := range []gavel.Mode{gavel.ModeRegular, gavel.ModeSymlink} {
		one := &treeFile{path: "a", mode: mode, id: rawID(f.git("rev-parse", "HEAD:a"))}
		err = tree.write(t.Context(), root, []*treeFile{one, one})
		if err == nil || !strings.Contains(err.Error(), "takes its name") || gavel.AsError(err).Hint == "" {
			t.Errorf("%v", err)
		}
		must(t, os.Remove(filepath.Join(tree.Root, "a")))
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n")
	r := f.open()
	p, err := r.SubjectTree(t.Context(), gavel.SubjectCommit)
	must(t, err)
	p.Commit = "" // no longer HEAD, so it is written
	for slot, folder := range map[string]string{"subject": f.dir, "base": f.path(".git"), "": t.TempDir(), "a/b": t.TempDir(), "..": t.TempDir(), "a@b": t.TempDir()} {
		if _, err := r.Materialise(t.Context(), p, Placement{Folder: folder, Slot: slot}); err == nil {
			t.Errorf("%q in %s", slot, folder)
		}
	}
	if _, err := r.Materialise(t.Context(), p, Placement{Folder: filepath.Join(t.TempDir(), "none"), Slot: "subject"}); err == nil {
		t.Error("a folder that is not there")
	}
	folder := t.TempDir()
	seen := map[string]bool{}
	for range maxSlots {
		tree, err := r.Materialise(t.Context(), p, Placement{Folder: folder, Slot: "subject"})
		must(t, err)
		defer tree.Release()
		seen[tree.Root] = true
	}
	if _, err := r.Materialise(t.Context(), p, Placement{Folder: folder, Slot: "subject"}); len(seen) != maxSlots || err == nil || gavel.AsError(err).Class != gavel.StorageLocked {
		t.Errorf("%d folders, then %v", len(seen), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Materialise(ended, p, Placement{Folder: t.TempDir(), Slot: "subject"}); err == nil || gavel.AsError(err).Class != gavel.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// Linked worktrees have folders of their own, which go when they go.
func TestClaimOfWorktrees(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n")
	f.write("untracked", "x")
	other := *f
	other.dir = filepath.Join(filepath.Dir(f.dir), "linked-2")
	f.git("worktree", "add", "-q", "--detach", other.dir)
	other.write("untracked", "x")
	folder := t.TempDir()
	first, second := f.put(folder, gavel.SubjectCommit), other.put(folder, gavel.SubjectCommit)
	if filepath.Base(first.Root) != "subject" || filepath.Base(second.Root) != "subject@linked-2" {
		t.Errorf("%s, %s", first.Root, second.Root)
	}
	held := other.materialise(folder, gavel.SubjectCommit)
	f.git("worktree", "remove", "--force", other.dir)
	f.put(folder, gavel.SubjectCommit)
	if _, err := os.Stat(second.Root); err != nil {
		t.Error("a folder in use was removed")
	}
	held.Release()
	f.put(folder, gavel.SubjectCommit)
	for _, path := range []string{second.Root, second.recordPath()} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzRecord(f *testing.F) {
	files := []treeFile{
		{path: "a b", mode: gavel.ModeExec, id: strings.Repeat("\x01", 20), disk: diskFile{1, 2, 3, 4, fs.ModeSymlink | 0o755}, lfs: true},
		{path: "c\nd", mode: gavel.ModeGitlink, id: strings.Repeat("\xff", 20)},
	}
	f.Add(string(encodeRecord(files)))
	f.Add(recordHeader)
	f.Add(string(encodeRecord(files[1:]))[:40])
	f.Fuzz(func(t *testing.T, text string) {
		read := parseRecord(text, 20)
		again := parseRecord(string(encodeRecord(read)), 20)
		if fmt.Sprint(read) != fmt.Sprint(again) {
			t.Errorf("%v, then %v", read, again)
		}
	})
}

func TestRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "a\n", "a.b", "x\n", "a-b/c", "y\n", "d/e/f", "z\n", "d/e.f", "w\n")
	must(t, os.Chmod(f.path("a"), 0o755))
	must(t, os.Symlink("a", f.path("z")))
	f.commit()
	r := f.open()
	tree := f.git("rev-parse", "HEAD^{tree}")
	entries, err := r.listTree(t.Context(), tree)
	must(t, err)
	var files []treeFile
	for _, e := range entries {
		files = append(files, treeFile{path: e.path, mode: e.newMode, id: e.newID, disk: diskFile{inode: 7}})
	}
	read := parseRecord(string(encodeRecord(files)), 20)
	if fmt.Sprint(read) != fmt.Sprint(files) || !r.isTree(read, tree) {
		t.Errorf("%v", read)
	}
	for i := range files {
		if r.isTree(append(append([]treeFile{}, files[:i]...), files[i+1:]...), tree) {
			t.Errorf("without %s it is the same tree", files[i].path)
		}
	}
	if r.isTree(nil, tree) || r.isTree(nil, r.EmptyTree()) {
		t.Error("no record proves a tree")
	}
}
