package git

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// What a patch holds of a binary file is shown to be searched; what it does not hold is an unexpected skip, since
// nobody looked at it.
func TestPatchOfBinaryContent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789 line\n", 3000) + "the\x00end"
	random := rand.NewChaCha8([32]byte{1})
	bytes := make([]byte, 20_000)
	_, _ = random.Read(bytes)
	noise := string(bytes) // so that only its difference is short
	for _, test := range []struct {
		name, old, new string
		options        []string
		reason         gavel.SkipReason
		holds          string
	}{
		{"text with a NUL", "", "needle\x00\n", []string{"--binary"}, gavel.SkipBinary, "needle"},
		{"changed", "a\x00b", "other\x00needle", []string{"--binary"}, gavel.SkipBinary, "needle"},
		{"long", "", long, []string{"--binary"}, gavel.SkipBinary, "0123456789 line"},
		{"UTF-16", "", "n\x00e\x00e\x00d\x00l\x00e\x00", []string{"--binary"}, gavel.SkipBinary, "needle"},
		{"delta", noise, noise + "needle", []string{"--binary"}, gavel.SkipUnreadable, ""},
		{"without content", "", "needle\x00", nil, gavel.SkipUnreadable, ""},
		{"shown as text", "a\n", "needle\x00\n", []string{"--text"}, gavel.SkipBinary, "needle"},
		{"gone", "needle\x00", "", nil, gavel.SkipBinary, ""},
		{"gone, with content", "needle\x00", "", []string{"--binary"}, gavel.SkipBinary, ""},
	} {
		f := newFixture(t)
		f.commit("top", "1\n")
		if test.old != "" {
			f.commit("bin", test.old)
		}
		if test.new == "" {
			f.remove("bin")
		} else {
			f.write("bin", test.new)
		}
		f.add()
		got, err := readPatch(f.git(append([]string{"diff", "--cached"}, test.options...)...) + "\n")
		if err != nil || len(got) != 1 || got[0].Skip == nil {
			t.Errorf("%s: %q, %v", test.name, show(got), err)
			continue
		}
		file := got[0]
		checkFile(t, file)
		if file.Skip.Reason != test.reason || !file.Binary || !strings.Contains(text(file), test.holds) || test.holds == "" && len(file.Hunks) > 0 {
			t.Errorf("%s: %q %+v", test.name, show(got), *file.Skip)
		}
	}
}

func TestBrokenBinaryContent(t *testing.T) {
	t.Parallel()
	const header = "diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\n"
	for _, body := range []string{
		"literal 3\nKc$@<O\n\n", "literal x\nKc$@<O\n\n", "literal -1\nA00000\n\n", "literal 3\n\n", "literal 3\nz\n\n", "literal 3\n!00000\n\n",
		"literal 99999999999\nA00000\n\n", "delta 2\nKc$@\n\n", "",
	} {
		got, err := readPatch(header + body)
		if err != nil || len(got) != 1 || got[0].Skip == nil || got[0].Skip.Reason.Expected() {
			t.Errorf("%q: %q, %v", body, show(got), err)
		}
	}
}

// A mail whose text is encoded says something else than what would be applied.
func TestPatchOfEncodedMail(t *testing.T) {
	t.Parallel()
	const diff = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n x\n+k=3D1\n"
	for header, ok := range map[string]bool{
		"Content-Transfer-Encoding: quoted-printable\n":         false,
		"content-transfer-encoding:QUOTED-PRINTABLE\r\n":        false,
		"Content-Transfer-Encoding:\n quoted-printable\n":       false,
		"Content-Transfer-Encoding: \n\tbase64\n":               false,
		"Content-Transfer-Encoding: base64; x=y\n":              false,
		"Content-Transfer-Encoding: x-uuencode\n":               false,
		"Content-Transfer-Encoding: 7bit\n":                     true,
		"Content-Transfer-Encoding: 8BIT\n":                     true,
		"Content-Transfer-Encoding: binary\n":                   true,
		"    Content-Transfer-Encoding: base64 is in the log\n": true,
		"Subject: Content-Transfer-Encoding: base64\n":          true,
	} {
		for _, patch := range []string{header + "\n" + diff, diff + "-- \n2.39.5\n\n" + header + "\nZGlmZg==\n"} {
			got, err := readPatch(patch)
			if ok && (err != nil || len(got) != 1) || !ok && (class(err) != gavel.InvalidArgs || !strings.Contains(err.Error(), "Content-Transfer-Encoding")) {
				t.Errorf("%q: %q, %v", patch, show(got), err)
			}
		}
	}
	if got, err := readPatch("Content-Transfer-Encoding: base64\n\nZGlmZg==\n"); err != nil || len(got) != 0 {
		t.Errorf("without any diff: %q, %v", show(got), err)
	}
	inside := "--- a\n+++ a\n@@ -1 +1,2 @@\n x\n+Content-Transfer-Encoding: base64\n" + diff
	if got, err := readPatch(inside); err != nil || len(got) != 2 {
		t.Errorf("inside a hunk: %q, %v", show(got), err)
	}
}
