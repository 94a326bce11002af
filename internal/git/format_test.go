package git

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/quick"

	"github.com/gavel-review/gavel"
)

func FuzzHunks(f *testing.F) {
	f.Add("@@ -1,2 +1,2 @@ func x\n keep\n-old\n+new\n")
	f.Add("@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n@@ -0,0 +1 @@\n+++ b/vendor/x\n")
	f.Add("@@ -1,99999999999 +1 @@\n-x\n+y\n")
	f.Fuzz(func(t *testing.T, text string) {
		hunks, err := parseHunks(text)
		if err != nil || text == "" {
			return
		}
		checkFile(t, &gavel.File{Path: "x", Hunks: hunks})
		lines := 0
		for _, h := range hunks {
			lines += 1 + len(h.Lines)
			for _, l := range h.Lines {
				if l.NoEOL {
					lines++
				}
			}
		}
		if want := strings.Count(text, "\n"); lines != want {
			t.Errorf("%d lines of %d are accounted for", lines, want)
		}
	})
}

func FuzzQuote(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
		f.Add(cQuoteAlways(name))
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, rest, err := cUnquote(cQuoteAlways(name) + "rest")
		if got != name || rest != "rest" || err != nil {
			t.Errorf("%q: got %q, %q, %v", name, got, rest, err)
		}
		if quoted := cQuote(name); quoted != name && quoted != cQuoteAlways(name) {
			t.Errorf("%q: %s", name, quoted)
		}
		_, _, _ = cUnquote(name)
	})
}

func FuzzIndex(f *testing.F) {
	x := &index{entries: []leaf{
		{path: "a", id: strings.Repeat("i", 20), mode: gavel.ModeRegular},
		{path: "a/b", id: strings.Repeat("j", 20), mode: gavel.ModeExec, stage: 2},
		{path: "c", id: strings.Repeat("k", 20), mode: gavel.ModeSymlink, skipped: true, intent: true},
	}}
	hash, err := hashOf("sha1")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(x.encode(hash)))
	f.Add("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 80))
	f.Add("DIRC\x00\x00\x00\x02\x00\x00\x00\x00TREE\x00\x00\x00\x06\x001 0\n" + strings.Repeat("x", 40))
	f.Fuzz(func(t *testing.T, data string) {
		x, err := parseIndex(data, hash.size)
		if err != nil {
			return
		}
		for i := range x.entries { // what the writer drops
			x.entries[i].assumed, x.entries[i].at = false, 0
		}
		again, err := parseIndex(string(x.encode(hash)), hash.size)
		if x.shared != "" {
			return
		}
		if err != nil || len(again.entries) != len(x.entries) {
			t.Fatalf("%d entries, then %d, %v", len(x.entries), len(again.entries), err)
		}
		for i, e := range x.entries {
			got := again.entries[i]
			if got.at = 0; got != e {
				t.Errorf("%+v became %+v", e, got)
			}
		}
		x.leaves()
		x.cache.forget("a/b/c")
		x.cache.child("a").child("b")
	})
}

func FuzzTree(f *testing.F) {
	f.Add("100644 a\x00" + strings.Repeat("x", 20) + "40000 b\x00" + strings.Repeat("y", 20))
	f.Add("7 \x00")
	f.Fuzz(func(t *testing.T, data string) {
		for _, size := range []int{20, 32} {
			tree, err := parseTree(data, size)
			if err != nil {
				continue
			}
			entries, queue := compareTrees("", tree, tree, nil, nil)
			if len(entries)+len(queue) != 0 {
				t.Errorf("a tree differs from itself: %v %v", entries, queue)
			}
		}
	})
}

// What looks like a ref, an id and a file in a stored object is the same to git as what it was.
func TestStoredObjectsAreGits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.open()
	for _, size := range []int{0, 1, 65530, 65535, 65536, 200_000} {
		data := bytes.Repeat([]byte("x"), size)
		id, err := r.store("blob", data)
		must(t, err)
		must(t, r.flush())
		cmd := exec.Command("git", "cat-file", "blob", hexID(id))
		cmd.Env = append(f.env, "GIT_DIR="+r.private)
		if out, err := cmd.Output(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%d bytes: %d bytes, %v", size, len(out), err)
		}
		if got, err := r.Blob(t.Context(), hexID(id), 0); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
}

func TestZlibStored(t *testing.T) {
	t.Parallel()
	err := quick.Check(func(data []byte) bool {
		r, err := zlib.NewReader(bytes.NewReader(zlibStored(nil, data)))
		if err != nil {
			return false
		}
		got, err := io.ReadAll(r)
		return err == nil && bytes.Equal(got, data)
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func TestObjectHash(t *testing.T) {
	t.Parallel()
	for format, empty := range map[string]string{
		"sha1":   "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
	} {
		h, err := hashOf(format)
		if err != nil || h.emptyTree != empty || len(h.zero) != len(empty) || len(rawID(h.zero)) != h.size {
			t.Errorf("%s: %+v, %v", format, h, err)
		}
	}
	if _, err := hashOf("md5"); class(err) != gavel.NotAGitRepo {
		t.Errorf("md5: %v", err)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]gavel.Mode{
		"0": 0, "100644": gavel.ModeRegular, "100664": gavel.ModeRegular, "100600": gavel.ModeRegular, "100755": gavel.ModeExec,
		"100700": gavel.ModeExec, "120000": gavel.ModeSymlink, "40000": modeTree, "040000": modeTree, "160000": gavel.ModeGitlink,
	} {
		if got, ok := parseMode(mode); got != want || !ok {
			t.Errorf("%s: %o, %v", mode, got, ok)
		}
	}
	for _, mode := range []string{"", "x", "8", "10064400"} {
		if _, ok := parseMode(mode); ok {
			t.Errorf("%q is taken for a mode", mode)
		}
	}
}

func TestLFSPointer(t *testing.T) {
	t.Parallel()
	oid := strings.Repeat("0123456789abcdef", 4)
	good := lfsPointer{oid, 42}.String()
	if p, ok := parseLFSPointer(good); !ok || p != (lfsPointer{oid, 42}) {
		t.Errorf("%+v", p)
	}
	for _, text := range []string{
		"", good + "x", good + "\n", good[1:], strings.TrimSuffix(good, "\n"), strings.Replace(good, "42", "042", 1),
		strings.Replace(good, "42", "-1", 1), strings.Replace(good, "sha256", "md5", 1), strings.ToUpper(good),
		strings.Replace(good, "size", "evil()\nsize", 1), strings.Replace(good, "\n", "\r\n", 1),
	} {
		if _, ok := parseLFSPointer(text); ok {
			t.Errorf("%q is taken for a pointer", text)
		}
	}
}

func TestApplyChanges(t *testing.T) {
	t.Parallel()
	leaves := func(paths string) (all []leaf) {
		for path := range strings.FieldsSeq(paths) {
			all = append(all, leaf{path: path, mode: gavel.ModeRegular})
		}
		return all
	}
	for _, test := range []struct{ old, added, removed, want string }{
		{"a b", "", "", "a b"},
		{"a b", "c", "a", "b c"},
		{"a/b a/c d", "a", "", "a d"},
		{"a d", "a/b/c", "", "a/b/c d"},
		{"a/b/c", "a/b", "", "a/b"},
		{"a/b/c a/b-c", "", "a/b", "a/b-c a/b/c"},
	} {
		changes := map[string]leaf{}
		for _, l := range leaves(test.added) {
			changes[l.path] = l
		}
		for path := range strings.FieldsSeq(test.removed) {
			changes[path] = leaf{path: path}
		}
		var got []string
		for _, l := range applyChanges(leaves(test.old), changes) {
			got = append(got, l.path)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}

func TestHexIDs(t *testing.T) {
	t.Parallel()
	if rawID("not hex") != "" || hexID(rawID("00ff")) != "00ff" || !isID(hex.EncodeToString(make([]byte, 32))) || isID("ab") {
		t.Error("ids")
	}
}
