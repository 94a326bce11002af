package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// everything asks about the names with and without git, and wants the same answers.
func everything(t *testing.T, r *Repo, question string, names []string, here int) {
	t.Helper()
	ask := func(o *objects) (answers []string) {
		err := o.ask(t.Context(), question, names, func(_ int, obj object, body io.Reader) error {
			text := fmt.Sprintf("%+v", obj)
			if body != nil {
				data, err := io.ReadAll(body)
				must(t, err)
				text += " " + string(data)
			}
			answers = append(answers, text)
			return nil
		})
		must(t, err)
		return answers
	}
	git := &objects{command: r.objects.command}
	t.Cleanup(git.close)
	want, got := ask(git), ask(r.objects)
	n := 0
	for i, name := range names {
		if want[i] != got[i] {
			t.Errorf("%s %s:\n%.200q with git\n%.200q here", question, name, want[i], got[i])
		}
		if _, _, err := r.objects.stored.answer(question, name); err == nil {
			n++
		} else if !errors.Is(err, errNotHere) {
			t.Errorf("%s %s: %v", question, name, err)
		}
	}
	if n < here {
		t.Errorf("%s: %d of %d were answered without git, want %d", question, n, len(names), here)
	}
}

func allObjects(f *fixture) []string {
	return strings.Split(f.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"), "\n")
}

// history makes commits whose files differ a little, so that a pack holds deltas.
func history(f *fixture) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "line %d of a text that is long enough to be worth a delta\n", i)
	}
	for i := range 6 {
		f.commit("a.txt", strings.Replace(b.String(), fmt.Sprintf("line %d ", 40*i), "another line ", 1), fmt.Sprintf("dir/%d.txt", i), fmt.Sprint(i))
	}
	f.git("tag", "-a", "-m", "tag", "v1")
	f.git("branch", "feature/x", "HEAD~2")
	f.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
	f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
}

var storedNames = []string{
	"refs/heads/main^{commit}", "refs/heads/main^{tree}", "refs/remotes/origin/HEAD^{commit}", "refs/remotes/origin/main^{tree}",
	"refs/heads/feature/x^{commit}", "refs/heads/missing^{commit}", "refs/remotes/origin/missing^{commit}", "refs/heads/feature^{commit}",
	"refs/tags/v1^{commit}", "HEAD~1^{tree}", "HEAD^{commit}", "refs/heads/main:a.txt", "refs/heads/main.lock^{commit}",
}

func TestStoredObjects(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for name, prepare := range map[string]func(*fixture){
			"loose":  func(*fixture) {},
			"packed": func(f *fixture) { f.git("gc", "-q", "--aggressive", "--prune=now"); f.git("pack-refs", "--all") },
			"both":   func(f *fixture) { f.git("repack", "-q", "-a", "-d"); f.commit("b.txt", "more") },
			"packs":  func(f *fixture) { f.git("repack", "-q", "-d"); f.commit("b.txt", "more"); f.git("repack", "-q", "-d") },
			"index of packs": func(f *fixture) {
				f.git("repack", "-q", "-d")
				f.commit("b.txt", "more")
				f.git("repack", "-q", "-d", "--write-midx")
			},
			"deltas by name": func(f *fixture) { f.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f") },
		} {
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, "--object-format="+format)
				history(f)
				prepare(f)
				ids := allObjects(f)
				r := f.open()
				everything(t, r, askInfo, ids, len(ids))
				everything(t, r, askContents, ids, len(ids))
				everything(t, r, askInfo, storedNames, 7)
				everything(t, r, askInfo, []string{ids[0][:12], r.hash.zero, strings.Repeat("ab", r.hash.size)}, 0)
				var peeled []string
				for _, id := range ids {
					peeled = append(peeled, id+"^{tree}", id+"^{commit}")
				}
				everything(t, r, askInfo, peeled, 20)
			})
		}
	}
}

// TestStoredElsewhere: what lies where it is not looked for is found by git.
func TestStoredElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	history(f)
	ids := allObjects(f)
	clone := bareFixture(t)
	clone.git("clone", "-q", "--shared", f.dir, clone.dir)
	everything(t, clone.open(), askContents, ids, 0)
}

// TestStoredDamaged: an object that cannot be read here is not guessed at: git says what becomes of it.
func TestStoredDamaged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a.txt", "one\n")
	id := f.git("rev-parse", "HEAD:a.txt")
	path := f.path(".git/objects/" + id[:2] + "/" + id[2:])
	whole, err := os.ReadFile(path)
	must(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, data := range map[string][]byte{"empty": {}, "short": whole[:len(whole)-5], "no zlib": []byte("blob 4\x00one\n"), "check sum": flipped} {
		must(t, os.Chmod(path, 0o600))
		must(t, os.WriteFile(path, data, 0o600))
		s := f.open().objects.stored
		if _, _, err := s.answer(askContents, id); !errors.Is(err, errNotHere) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
	if _, _, err := f.open().objects.stored.answer(askInfo, id); !errors.Is(err, errNotHere) {
		t.Errorf("a folder: %v", err)
	}
}

// FuzzApplyDelta: whatever a delta says, it makes what it promises or nothing.
func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("base text"), []byte("\x09\x06\x90\x04\x02xy"))
	f.Add([]byte(""), []byte("\x00\x00"))
	f.Add([]byte("abc"), []byte("\x03\x80\x80\x04\x80"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		made, ok := applyDelta(base, delta)
		if size, _, _ := deltaSize(skipSize(delta)); ok && int64(len(made)) != size {
			t.Errorf("%d bytes where %d were promised", len(made), size)
		}
	})
}

func skipSize(delta []byte) []byte {
	_, rest, _ := deltaSize(delta)
	return rest
}

// FuzzStoredPack: a pack and an index with any bytes give objects or none.
func FuzzStoredPack(f *testing.F) {
	hash, err := hashOf("sha1")
	if err != nil {
		f.Fatal(err)
	}
	blob := newObject{kind: "blob", id: string(hash.sum("blob", []byte("hello\n"))), data: []byte("hello\n")}
	objects := []newObject{blob}
	pack := encodePack(objects, hash)
	f.Add(pack, encodePackIndex(objects, pack, hash), []byte(blob.id))
	f.Fuzz(func(t *testing.T, pack, index, id []byte) {
		s := &stored{dir: os.DevNull, hash: hash}
		p := &packFile{store: s, index: bytes.NewReader(index), pack: bytes.NewReader(pack), idSize: int64(hash.size)}
		if !p.readHeader(int64(len(pack))) {
			return
		}
		s.packs = []*packFile{p}
		for _, raw := range [][]byte{id, []byte(blob.id)} {
			if len(raw) != hash.size {
				continue
			}
			for _, question := range []string{askInfo, askContents} {
				if _, _, err := s.answer(question, hexID(string(raw))); err != nil && !errors.Is(err, errNotHere) {
					t.Errorf("%v", err)
				}
			}
		}
	})
}
