package git

import (
	"os"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func staged() Scope   { return Scope{Kind: Staged} }
func unstaged() Scope { return Scope{Kind: Unstaged} }
func revs(r ...string) Scope {
	return Scope{Kind: Revisions, Revisions: r}
}

func TestStagedKinds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := strings.Repeat("a line that stays\n", 40)
	f.commit("mod.go", "one\ntwo\n", "gone.go", "bye\n", "sub/old.go", lines, "mode.sh", "x\n", "type", "text\n",
		"crlf.txt", "a\r\nb\r\n", "noeol", "a\nb", "bin", "a\x00b", "emptied", "x\n")
	f.write("mod.go", "one\n2\nthree\n", "new.go", "hello\n", "empty", "", "crlf.txt", "a\r\nc\r\n", "noeol", "a\nc",
		"bin", "a\x00c", "utf16", "h\x00i\x00", "emptied", "", "latin1", "caf\xe9\n",
		"lfs.bin", lfsPointer{strings.Repeat("ab", 32), 12345}.String())
	f.remove("gone.go", "type")
	if err := os.Chmod(f.path("mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("mod.go", f.path("type")); err != nil {
		t.Fatal(err)
	}
	f.git("mv", "sub/old.go", "moved.go")
	f.add()
	c := f.pin(staged())
	got := files(t, c)
	want(t, show(got), `
M bin binary
M crlf.txt +1 -1
M emptied +0 -1
A empty
D gone.go +0 -1
A latin1 +1 -0
A lfs.bin lfs_pointer
M mod.go +2 -1
M mode.sh mode_only
R moved.go < sub/old.go
A new.go +1 -0
M noeol +1 -1
T type +1 -1
A utf16 binary
`)
	byPath := map[string]*gavel.File{}
	for _, f := range got {
		byPath[f.Path] = f
	}
	want(t, text(byPath["noeol"]), "@@ 1,2 1,2\n a\n-b\n\\\n+c\n\\\n")
	want(t, text(byPath["crlf.txt"]), "@@ 1,2 1,2\n a\r\n-b\r\n+c\r\n")
	want(t, text(byPath["type"]), "@@ 1,1 0,0\n-text\n@@ 0,0 1,1\n+mod.go\n\\\n")
	want(t, text(byPath["latin1"]), "@@ 0,0 1,1\n+caf\xe9\n")
	if !byPath["bin"].Binary || byPath["new.go"].Binary {
		t.Error("Binary is wrong")
	}
	if f := byPath["mod.go"]; f.Size != 12 || f.OldMode != gavel.ModeRegular || len(f.OldID) != 40 || len(f.NewID) != 40 {
		t.Errorf("mod.go: %+v", f)
	}
	if f := byPath["gone.go"]; f.Size != 0 || f.NewMode != 0 || f.NewID != "" {
		t.Errorf("gone.go: %+v", f)
	}
	if c.Base.Kind != gavel.SubjectCommit || c.Head.Kind != gavel.SubjectIndex || c.Head.Tree != f.git("write-tree") {
		t.Errorf("base %+v, head %+v", c.Base, c.Head)
	}
}
