package git

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func written(t *testing.T, fs []*gavel.File) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range fs {
		if err := WritePatch(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// What is written reads as the files that it was written from, and git applies it.
func TestWritePatch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := strings.Repeat("a line that stays\n", 40)
	for _, name := range hostileNames {
		f.write("names/"+name, "one\n")
	}
	f.commit("mod.go", "one\ntwo\n", "gone", "bye\n", "sub/old", lines, "mode", "x\n", "crlf", "a\r\nb\r\n", "noeol", "a\nb", "c d", "1\n")
	for i, name := range hostileNames {
		f.write("names/"+name, "two\n")
		if i%3 == 0 {
			f.remove("names/" + name)
		}
	}
	f.write("mod.go", "++ b/vendor/x\n-- x\nthree\n", "empty", "", "crlf", "a\r\nc\r\n", "noeol", "a\nc", "c d", "2\n", "b/new", "x\n", "new noeol", "x")
	f.remove("gone")
	f.git("mv", "sub/old", "new place")
	f.write("new place", lines+"another end\n").add()
	f.git("update-index", "--chmod=+x", "mod.go", "mode")
	reference := files(t, f.pin(staged()))
	patch := written(t, reference)
	got, err := readPatch(patch)
	if err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	want(t, show(got), show(reference))
	for i := range got {
		want(t, text(got[i]), text(reference[i]))
	}
	tree := f.git("write-tree")
	f.git("read-tree", "HEAD")
	f.gitIn(patch, "apply", "--cached", "-")
	want(t, f.git("write-tree"), tree)
}

// A file without text says why.
func TestWritePatchOfNoText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file gavel.File
		want string
	}{
		{gavel.File{Path: "a", Status: gavel.Modified, Binary: true, OldID: "12", NewID: "34"}, "diff --git a/a b/a\nindex 12..34\nBinary files a/a and b/a differ\n"},
		{gavel.File{Path: "a", Status: gavel.Added, Binary: true, NewMode: gavel.ModeRegular, NewID: "34"}, "diff --git a/a b/a\nnew file mode 100644\nindex 00..34\nBinary files /dev/null and b/a differ\n"},
		{gavel.File{Path: "a", Status: gavel.Modified, Skip: &gavel.Skip{Reason: gavel.SkipTooLarge}}, "diff --git a/a b/a\n# not shown: too_large\n"},
	} {
		want(t, written(t, []*gavel.File{&test.file}), test.want)
	}
}
