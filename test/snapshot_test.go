package test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// snapshot describes everything below a folder: path to mode, time of change and content.
type snapshot map[string]string

// snapshots are those of one script, by name.
type snapshots map[string]snapshot

// snapshotsKey is where a script keeps them.
type snapshotsKey struct{}

func takeSnapshot(dir string) (snapshot, error) {
	s := snapshot{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := contentOf(path, info)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		s[rel] = fmt.Sprintf("%v %v %s", info.Mode(), info.ModTime().UnixNano(), content)
		return err
	})
	return s, err
}

func contentOf(path string, info fs.FileInfo) (string, error) {
	switch {
	case info.Mode().IsRegular():
		data, err := os.ReadFile(path)
		return fmt.Sprintf("%x", sha256.Sum256(data)), err
	case info.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	}
	return "", nil
}

// differences says what became of the paths, at most ten of them.
func (s snapshot) differences(later snapshot) []string {
	var lines []string
	for path := range later {
		if _, ok := s[path]; !ok {
			lines = append(lines, "new: "+path)
		}
	}
	for path, was := range s {
		switch is, ok := later[path]; {
		case !ok:
			lines = append(lines, "gone: "+path)
		case is != was:
			lines = append(lines, fmt.Sprintf("changed: %s: %s, was %s", path, is, was))
		}
	}
	slices.Sort(lines)
	return lines[:min(len(lines), 10)]
}

func snapshotCommand(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "snapshot NAME DIR")
	s, err := takeSnapshot(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Value(snapshotsKey{}).(snapshots)[args[0]] = s
}

func sameCommand(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) != 2, "[!] same NAME DIR")
	all := ts.Value(snapshotsKey{}).(snapshots)
	before, ok := all[args[0]]
	if !ok {
		ts.Fatalf("no snapshot %q, only %v", args[0], slices.Sorted(maps.Keys(all)))
	}
	now, err := takeSnapshot(ts.MkAbs(args[1]))
	ts.Check(err)
	diff := before.differences(now)
	switch {
	case neg && len(diff) == 0:
		ts.Fatalf("%s did not change", args[1])
	case !neg && len(diff) > 0:
		ts.Fatalf("%s changed:\n%s", args[1], strings.Join(diff, "\n"))
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	take := func() snapshot {
		s, err := takeSnapshot(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := take()
	if d := before.differences(take()); len(d) != 0 {
		t.Errorf("nothing happened: %v", d)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if d := before.differences(take()); len(d) != 1 || !strings.HasPrefix(d[0], "changed: "+filepath.Join("a", "b")) {
		t.Errorf("mode: %v", d)
	}
	if err := os.Rename(file, file+"c"); err != nil {
		t.Fatal(err)
	}
	if d := strings.Join(before.differences(take()), "\n"); !strings.Contains(d, "gone: ") || !strings.Contains(d, "new: ") {
		t.Errorf("rename: %v", d)
	}
}
