package git

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gavel-review/gavel"
)

func readPatch(patch string) (got []*gavel.File, err error) {
	p := ReadPatch(strings.NewReader(patch))
	for f, e := range p.Files(context.Background(), Filter{}) {
		if e != nil {
			return got, e
		}
		got = append(got, f)
	}
	return got, nil
}

// A patch that git writes reads as the change that it was written from.
func TestPatchOfGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := strings.Repeat("a line that stays\n", 40)
	for _, name := range hostileNames {
		f.write("names/"+name, "one\n")
	}
	f.commit("mod.go", "one\ntwo\n", "gone", "bye\n", "sub/old", lines, "mode", "x\n", "crlf", "a\r\nb\r\n", "noeol", "a\nb",
		"bin", "a\x00b", "c d", "1\n", "moved more", lines+"end\n")
	for i, name := range hostileNames {
		f.write("names/"+name, "two\n")
		if i%3 == 0 {
			f.remove("names/" + name)
		}
	}
	f.write("mod.go", "++ b/vendor/x\n-- x\nthree\n", "empty", "", "crlf", "a\r\nc\r\n", "noeol", "a\nc", "bin", "a\x00c",
		"c d", "2\n", "b/new", "x\n", "moved more", "")
	f.remove("gone", "moved more")
	f.git("mv", "sub/old", "new place")
	f.git("mv", "mode", "mode 2")
	f.write("moved and changed", lines+"another end\n").add()
	f.git("update-index", "--chmod=+x", "mod.go")
	f.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", 20)+",module")
	reference := files(t, f.pin(staged()))
	for _, test := range []struct {
		options []string
		config  string
	}{
		{nil, ""}, {[]string{"--binary", "--full-index"}, ""}, {nil, "diff.mnemonicPrefix=true"}, {nil, "diff.noprefix=true"},
		{nil, "core.quotePath=false"}, {[]string{"--patch-with-stat"}, ""}, {[]string{"--src-prefix=b/", "--dst-prefix=a/"}, ""},
	} {
		args := append([]string{"diff", "--cached", "-M"}, test.options...)
		if test.config != "" {
			args = append([]string{"-c", test.config}, args...)
		}
		got, err := readPatch(f.git(args...) + "\n")
		if err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		want(t, withoutBin(show(got)), withoutBin(show(reference)))
		for i := range got {
			if i < len(reference) && got[i].Path != "bin" {
				want(t, text(got[i]), text(reference[i]))
			}
		}
	}
}

// withoutBin leaves out the binary file: how much of it is seen depends on the patch.
func withoutBin(shown string) string {
	return regexp.MustCompile(`(?m)^M bin .*\n`).ReplaceAllString(shown, "")
}

func TestPatchForms(t *testing.T) {
	t.Parallel()
	const hunk = "@@ -1,2 +1,2 @@ func x\n keep\n-old\n+new\n"
	for _, test := range []struct{ name, patch, want string }{
		{"empty", "", ""},
		{"prose", "hello\n--- \n---\n- item\n+ item\n", ""},
		{"plain", "--- a.c\t2020-01-01 00:00:00\n+++ a.c\t2021-01-01\n" + hunk, "M a.c +1 -1\n"},
		{"plain backup", "--- a.c.orig\n+++ a.c\n" + hunk, "M a.c +1 -1\n"},
		{"plain recursive", "diff -ru x/a.c y/a.c\n--- x/a.c\t2020\n+++ y/a.c\t2020\n" + hunk + "Only in x: gone\n", "M y/a.c +1 -1\n"},
		{"plain prefixes", "--- a/a.c\n+++ b/a.c\n" + hunk, "M a.c +1 -1\n"},
		{"plain new", "--- /dev/null\n+++ b/a.c\n@@ -0,0 +1 @@\n+x\n", "A a.c +1 -0\n"},
		{"plain new by time", "--- a.c\t1970-01-01 01:00:00 +0100\n+++ a.c\t2020\n@@ -0,0 +1 @@\n+x\n", "A a.c +1 -0\n"},
		{"plain gone", "--- a/a.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "D a.c +0 -1\n"},
		{"svn", "Index: a.c\n=====\n--- a.c\t(revision 1)\n+++ a.c\t(working copy)\n" + hunk, "M a.c +1 -1\n"},
		{"two plain", "--- a\n+++ a\n" + hunk + "--- b\n+++ b\n" + hunk, "M a +1 -1\nM b +1 -1\n"},
		{"mail", "From 1234 Mon Sep 17 00:00:00 2001\nSubject: x\n\nwords\n---\n a | 2 +-\n\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n" + hunk + "-- \n2.39.5\n\n", "M a +1 -1\n"},
		{"git show", "commit 1\nAuthor: x\n\n    words\n    diff --git a/z b/z\n\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n" + hunk + "\ncommit 2\n", "M a +1 -1\n"},
		{"prose header", "diff --git is what I ran\n" + "diff --git a/a b/a\n--- a/a\n+++ b/a\n" + hunk, "M a +1 -1\n"},
		{"CRLF", strings.ReplaceAll("diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n"+hunk, "\n", "\r\n"), "M a +1 -1\n"},
		{"no end", strings.TrimSuffix("--- a\n+++ a\n"+hunk, "\n"), "M a +1 -1\n"},
		{"empty context", "--- a\n+++ a\n@@ -1,3 +1,3 @@\n\n-old\n+new\n\n", "M a +1 -1\n"},
		{"mode", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n", "M a mode_only\n"},
		{"mode and text", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/a\n+++ b/a\n" + hunk, "M a +1 -1\n"},
		{"rename", "diff --git a/a b/b c\nsimilarity index 100%\nrename from a\nrename to b c\n", "R b c < a\n"},
		{"copy", "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n", "C b < a\n"},
		{"rename and text", "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\nindex 1..2 100644\n--- a/a\n+++ b/b\n" + hunk, "R b < a +1 -1\n"},
		{"other folders", "diff --git a/x/a b/y/a\nindex 1..2 100644\n--- a/x/a\n+++ b/y/a\n" + hunk, "M y/a < x/a +1 -1\n"},
		{"binary", "diff --git a/a b/a\nindex 1..2 100644\nBinary files a/a and b/a differ\n", "M a unreadable\n"},
		{"binary patch", "diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKc$@<O\n\ndelta 2\nKc$@\n\ndiff --git a/b b/b\nnew file mode 100644\nindex 0000000..e69de29\n", "M a unreadable\nA b\n"},
		{"plain binary", "Binary files x/a and y/a differ\nBinary files are nice\n", "M y/a unreadable\n"},
		{"NUL", "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+\x00y\n", "M a +1 -1 binary\n"},
		{"binary gone", "diff --git a/a b/a\ndeleted file mode 100644\nindex 1..0\nBinary files a/a and /dev/null differ\n", "D a binary\n"},
		{"plain binary gone", "Binary files x/a and /dev/null differ\n", "D x/a binary\n"},
		{"symlink", "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "A l +1 -0\n"},
		{"submodule", "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n", "M s submodule_pointer\n"},
		{"not shown", "diff --git a/a b/a\nindex 1..2 100644\n", "M a undecodable\n"},
		{"not shown, deleted", "diff --git a/a b/a\ndeleted file mode 100644\nindex 1234567..0000000\n", "D a undecodable\n"},
		{"rename not shown", "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\nindex 1..2 100644\n", "R b < a undecodable\n"},
		{"noeol", "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", "M a +1 -1\n"},
		{"looks like headers", "--- a\n+++ a\n@@ -1,2 +1,3 @@\n--- x\n-- y\n+++ b/vendor/z\n+@@ -1 +1 @@\n+diff --git a/q b/q\n", "M a +3 -2\n"},
	} {
		got, err := readPatch(test.patch)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if show(got) != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, show(got), test.want)
		}
	}
}

func TestBadPatches(t *testing.T) {
	t.Parallel()
	const header = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n"
	for _, test := range []struct {
		name, patch string
		line        string
	}{
		{"stray hunk", "@@ -1 +1 @@\n-x\n+y\n", "line 1:"},
		{"too few", header + "@@ -1,2 +1 @@\n-x\n+y\n", "line 8:"},
		{"too few, then a file", header + "@@ -1,2 +1 @@\n-x\n+y\ndiff --git a/b b/b\n", "line 8:"},
		{"too many", header + "@@ -1 +1 @@\n-x\n+y\n+evil()\n", "line 8:"},
		{"too many removed", header + "@@ -1 +1 @@\n-x\n+y\n-evil()\n", "line 8:"},
		{"too much context", header + "@@ -1 +1 @@\n-x\n+y\n evil()\n", "line 8:"},
		{"header", header + "@@ -1 +x @@\n-x\n+y\n", "line 5:"},
		{"no change", header + "@@ -1 +1 @@\n x\n", "line 7:"},
		{"nothing", header + "@@ -0,0 +0,0 @@\n", "line 5:"},
		{"negative", header + "@@ --1 +-1 @@\n", "line 5:"},
		{"huge", header + "@@ -1,99999999999999999999 +1 @@\n", "line 5:"},
		{"operation", header + "@@ -1 +1 @@\n-x\n*y\n", "line 7:"},
		{"names", "diff --git a/a b/a\n--- a/a\n+++ b/evil\n@@ -1 +1 @@\n-x\n+y\n", ""},
		{"two names", header + "+++ b/evil\n@@ -1 +1 @@\n-x\n+y\n", "line 5:"},
		{"rename names", "diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/c\n@@ -1 +1 @@\n-x\n+y\n", ""},
		{"half a rename", "diff --git a/a b/b\nrename from a\n", ""},
		{"quote", "diff --git a/a b/a\n--- \"a/\\q\"\n", "line 2:"},
		{"combined", "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,1 -1,1 +1,2 @@@\n", "line 1:"},
		{"no name", "diff --git  \nindex 1..2 100644\n", ""},
		{"mode", "diff --git a/a b/a\nnew file mode rwx\n", "line 2:"},
	} {
		got, err := readPatch(test.patch)
		if class(err) != gavel.InvalidArgs || !strings.Contains(err.Error(), test.line) {
			t.Errorf("%s: got %q, %v", test.name, show(got), err)
		}
	}
}

func TestPatchOfBrokenStream(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("--- a\n+++ a\n@@ -1 +1 @@\n-x\n"), iotest.ErrReader(errors.New("disk on fire")))
	p := ReadPatch(broken)
	for _, err := range p.Files(t.Context(), Filter{}) {
		if err == nil || !strings.Contains(err.Error(), "disk on fire") {
			t.Errorf("got %v", err)
		}
	}
}

func TestPatchDigest(t *testing.T) {
	t.Parallel()
	digests := map[string]bool{}
	for _, patch := range []string{"", "a\n", "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"} {
		p := ReadPatch(strings.NewReader(patch))
		for _, err := range p.Files(t.Context(), Filter{}) {
			must(t, err)
		}
		digests[p.Digest()] = true
	}
	if len(digests) != 3 {
		t.Errorf("%v", digests)
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n")
	f.Add("--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n")
	f.Add("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nold mode 100644\nnew mode 100755\n")
	f.Add("diff --git a/a b/b\nsimilarity index 1%\nrename from a\nrename to b\nGIT binary patch\nliteral 1\nx\n\n")
	f.Fuzz(func(t *testing.T, patch string) {
		got, err := readPatch(patch)
		if err != nil && class(err) != gavel.InvalidArgs {
			t.Fatal(err)
		}
		for _, file := range got {
			checkFile(t, file)
		}
	})
}

// checkFile checks what holds of every file with text.
func checkFile(t *testing.T, f *gavel.File) {
	t.Helper()
	if f.Path == "" {
		t.Error("a file without a path")
	}
	for _, h := range f.Hunks {
		old, new := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			if strings.Contains(l.Text, "\n") {
				t.Errorf("a line holds a newline: %q", l.Text)
			}
			if l.Op != gavel.Add {
				if l.Old != old {
					t.Errorf("old line %d, want %d", l.Old, old)
				}
				old++
			}
			if l.Op != gavel.Remove {
				if l.New != new {
					t.Errorf("new line %d, want %d", l.New, new)
				}
				new++
			}
		}
		if old-h.OldStart != h.OldLines || new-h.NewStart != h.NewLines {
			t.Errorf("the hunk has %d and %d lines, its header counts %d and %d", old-h.OldStart, new-h.NewStart, h.OldLines, h.NewLines)
		}
	}
}
