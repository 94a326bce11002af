package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestOutputFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.txt")
	for range 2 { // made, then replaced
		r := run(t, "demo", "-o", out, "--code", "1")
		if r.code != 1 || r.stdout != "" || read(t, out) != "format=text color=false width=0\n" {
			t.Fatalf("%+v", r)
		}
	}
	if names(t, dir) != "out.txt" {
		t.Error("left behind:", names(t, dir))
	}
}

func TestOutputFileKeepsModeAndLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err)
	}
	if r := run(t, "version", "-o", link); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	info, err := os.Lstat(real)
	if err != nil || info.Mode() != 0o640 || !strings.HasPrefix(read(t, real), "gavel ") {
		t.Error(info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
}

func TestOutputFileIsUntouchedByAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"fail --class conflict", "fail --class panic", "fail --class render", "demo --fail-on any", "demo --nope"} {
		if r := run(t, append(strings.Fields(args), "-o", out)...); r.code == 0 {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if read(t, out) != "old" || names(t, dir) != "out" {
		t.Error(read(t, out), names(t, dir))
	}
}

func TestErrorDocumentStaysOnStandardOutput(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	if r := run(t, "fail", "--class", "conflict", "--json", "-o", out); !strings.Contains(r.stdout, "conflict") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an error was written as a result")
	}
}

func TestOutputIsADevice(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	if r := run(t, "demo", "-o", os.DevNull); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := run(t, "demo", "-o", "/dev/full"); r.code != 3 || !strings.Contains(r.stderr, "/dev/full") {
		t.Errorf("%+v", r)
	}
}

func TestOutputIsADash(t *testing.T) {
	t.Parallel()
	if r := run(t, "demo", "-o", "-"); r.code != 0 || r.stdout == "" {
		t.Errorf("%+v", r)
	}
}

func TestNameOfTheTemporaryFileIsTaken(t *testing.T) {
	t.Parallel()
	path := file(filepath.Join(t.TempDir(), "x"))
	for range 3 {
		f, err := path.create()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	if err := file(filepath.Join(t.TempDir(), "none", "x")).write(nil); err == nil {
		t.Error("a missing folder was accepted")
	}
}
