package git

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
)

// randomText is a text of few different lines, or one that looks like a program.
func randomText(r *rand.Rand, lines int) []string {
	words := []string{"a", "b", "c", "", "}", "\treturn nil", "{", "d", "e\r", "\t}"}
	words = words[:2+r.IntN(len(words)-1)]
	out := make([]string, lines)
	for i := range out {
		if out[i] = words[r.IntN(len(words))]; r.IntN(4) > 0 && lines > 8 {
			out[i] = fmt.Sprintf("line %d", r.IntN(2*lines))
		}
	}
	return out
}

// edited changes some places of a text.
func edited(r *rand.Rand, lines []string) []string {
	out := append([]string(nil), lines...)
	for range 1 + r.IntN(4) {
		at, n := r.IntN(len(out)+1), r.IntN(4)
		n = min(n, len(out)-at)
		fresh := randomText(r, r.IntN(5))
		if r.IntN(3) == 0 && len(out) > 0 { // something that is there already
			from := r.IntN(len(out))
			fresh = append([]string(nil), out[from:min(len(out), from+1+r.IntN(6))]...)
		}
		out = append(out[:at:at], append(fresh, out[at+n:]...)...)
	}
	return out
}

func joined(r *rand.Rand, lines []string) string {
	text := strings.Join(lines, "\n")
	if r.IntN(5) > 0 && text != "" {
		text += "\n"
	}
	return text
}

// TestHunksAsGit: whatever is worked out here is what git writes, hunk for hunk and line for line.
func TestHunksAsGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const pairs = 1200
	r := rand.New(rand.NewPCG(7, 7))
	var before, after []string
	for i := range pairs {
		old := randomText(r, r.IntN(60))
		new := edited(r, old)
		if r.IntN(20) == 0 {
			old = nil
		}
		name := fmt.Sprintf("f%04d.txt", i)
		before, after = append(before, name, joined(r, old)), append(after, name, joined(r, new))
	}
	f.commit(before...)
	f.write(append(after, "added.txt", "x\ny", "nul.bin", "a\x00b\n", "empty.txt", "")...).add()
	c := f.pin(Scope{Kind: Staged})
	want := make(map[string]*gavel.File)
	g := &reading{c: c, ctx: t.Context(), yield: func(f *gavel.File, err error) bool { must(t, err); want[f.Path] = f; return true }}
	must(t, g.measure())
	if _, err := g.readText(c.entries); err != nil {
		t.Fatal(err)
	}
	here := 0
	for _, e := range c.entries {
		p := pair{entry: e, status: e.status()}
		hunks, nul, ok := g.storedHunks(&p)
		if !ok {
			continue
		}
		here++
		file := g.newFile(&p)
		g.fillHunks(file, hunks, nul)
		if diff := cmp.Diff(want[e.path], file); diff != "" {
			t.Errorf("%s (- git, + here): %s", e.path, diff)
		}
	}
	if here < len(c.entries)/3 || here == len(c.entries) {
		t.Errorf("%d of %d were worked out here", here, len(c.entries))
	}
	for _, file := range files(t, c) {
		if diff := cmp.Diff(want[file.Path], file); diff != "" {
			t.Errorf("%s (- git, + all together): %s", file.Path, diff)
		}
	}
}

// TestDiffLinesLeavesToGit: where there are several shortest differences, or too much to compare, git decides.
func TestDiffLinesLeavesToGit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 2000)
	for name, pair := range map[string][2]string{
		"a block that can slide": {"a\nb\nc\n", "a\nb\na\nb\nc\n"},
		"lines that swap":        {"a\nb\n", "b\na\n"},
		"one of equal lines":     {"a\na\n", "a\n"},
		"a frequent line":        {"1\n}\n}\n}\n}\n2\n}\n3\n", "4\n}\n}\n}\n}\n5\n}\n6\n"},
		"many edits":             {"", ""},
		"large":                  {strings.Repeat("x", maxDiffBytes+1), "y\n"},
		"many lines":             {"a\n" + long + "b\n", "c\n" + long + "d\n"},
	} {
		if name == "many edits" {
			for i := range maxDiffEdits {
				pair[0] += fmt.Sprintf("old %d\n", i)
				pair[1] += fmt.Sprintf("new %d\n", i)
			}
		}
		if hunks, ok := diffLines(pair[0], pair[1]); ok {
			t.Errorf("%s: %+v", name, hunks)
		}
	}
}

// FuzzDiffLines: hunks that are worked out turn the old text into the new one, and show nothing else.
func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("", "a\n")
	f.Add("a", "")
	f.Fuzz(func(t *testing.T, old, new string) {
		hunks, ok := diffLines(old, new)
		if !ok {
			return
		}
		a, b := splitLines(old), splitLines(new)
		var made strings.Builder
		at := 0
		for _, h := range hunks {
			for _, l := range h.Lines {
				text := l.Text
				if !l.NoEOL {
					text += "\n"
				}
				if l.Old > 0 {
					for ; at < l.Old-1; at++ {
						made.WriteString(a[at])
					}
					if a[at] != text {
						t.Fatalf("old line %d is %q, not %q", l.Old, a[at], text)
					}
					at++
				}
				if l.New > 0 {
					if b[l.New-1] != text {
						t.Fatalf("new line %d is %q, not %q", l.New, b[l.New-1], text)
					}
					if l.Old == 0 {
						for ; at < h.OldStart-1 && h.OldLines > 0; at++ {
							made.WriteString(a[at])
						}
					}
					made.WriteString(text)
				}
			}
		}
		for ; at < len(a); at++ {
			made.WriteString(a[at])
		}
		if made.String() != new {
			t.Fatalf("%q and %q give %q", old, new, made.String())
		}
	})
}
