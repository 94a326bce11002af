package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

// allArtifact walks every page and puts them together.
func allArtifact(t testing.TB, s *Store, repo RunRepo, id, name string, limit int) (content string, pages int) {
	t.Helper()
	cursor := ""
	for {
		page, err := s.Artifact(repo, id, name, cursor, limit)
		must(t, err)
		if len(page.Content) > artifactBytes || !utf8.ValidString(page.Content) {
			t.Errorf("a page of %d bytes, valid: %v", len(page.Content), utf8.ValidString(page.Content))
		}
		if page.PartialLine == (strings.HasSuffix(page.Content, "\n") || page.NextCursor == "") && page.PartialLine {
			t.Errorf("partial: %v at %q", page.PartialLine, page.Content[max(0, len(page.Content)-10):])
		}
		content += page.Content
		pages++
		if page.NextCursor == "" {
			return content, pages
		}
		cursor = page.NextCursor
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	pack(t, run)
	files := map[string]string{
		"empty.txt":     "",
		"no-end.txt":    "one\ntwo",
		"lines.txt":     strings.Repeat("a line\r\n", 1000),
		"long.txt":      "short\n" + strings.Repeat("grün", 50_000) + "\nend\n",
		"huge.json":     `{"a":"` + strings.Repeat("x", 300_000) + `"}`,
		"exact.txt":     strings.Repeat("x", artifactBytes-1) + "\n" + "y\n",
		"exact-one.txt": strings.Repeat("x", artifactBytes),
		"wide.txt":      strings.Repeat(strings.Repeat("w", 1000)+"\n", 200),
	}
	for name, content := range files {
		must(t, run.Write(name, []byte(content)))
	}
	must(t, run.Finish(someEnd(run)))
	id := run.Record().ID
	for name, content := range files {
		for _, limit := range []int{0, 1, 3, 5000} {
			if limit == 1 && strings.Count(content, "\n") > 200 {
				continue
			}
			got, pages := allArtifact(t, s, repo, id, name, limit)
			if got != content {
				t.Errorf("%s by %d: %d bytes in %d pages, want %d bytes", name, limit, len(got), pages, len(content))
			}
		}
		page, err := s.Artifact(repo, id, name, "", 0)
		want := strings.Count(content, "\n")
		if content != "" && !strings.HasSuffix(content, "\n") {
			want++
		}
		if err != nil || page.TotalLines != want {
			t.Errorf("%s: %d lines, want %d, %v", name, page.TotalLines, want, err)
		}
	}
	page, err := s.Artifact(repo, id, "lines.txt", "", 0)
	if err != nil || strings.Count(page.Content, "\n") != artifactLines {
		t.Errorf("%d lines on a page, %v", strings.Count(page.Content, "\n"), err)
	}
	if page, err = s.Artifact(repo, id, "huge.json", "", 0); err != nil || !page.PartialLine || len(page.Content) != artifactBytes {
		t.Errorf("%d bytes, partial %v, %v", len(page.Content), page.PartialLine, err)
	}
	if _, err := s.Artifact(repo, id, manifestName, "", 0); err != nil {
		t.Error(err)
	}
}

// Whatever is not a text file of the pack has one answer.
func TestArtifactMissing(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	pack(t, run)
	must(t, run.Write("binary", []byte("a\xff\n")))
	must(t, run.Write("cut", []byte("a\xe2\x82")))
	must(t, run.Finish(someEnd(run)))
	outside := filepath.Join(t.TempDir(), "outside.txt")
	must(t, os.WriteFile(outside, []byte("outside\n"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(run.Dir(), "link.txt")))
	must(t, os.Symlink(filepath.Dir(outside), filepath.Join(run.Dir(), "folder")))
	must(t, os.Remove(filepath.Join(run.Dir(), PackSummary)))
	must(t, os.Symlink(outside, filepath.Join(run.Dir(), PackSummary)))
	must(t, os.WriteFile(filepath.Join(run.Dir(), "extra.txt"), []byte("x\n"), 0o600))
	answers := map[string]string{}
	for _, name := range []string{
		"", ".", "..", "/", outside, "../" + run.Record().ID + "/report.json", "./report.json", "00_summary/../report.json", "00_summary",
		"00_summary/", "nothing.txt", "binary", "cut", "link.txt", "folder/outside.txt", PackSummary, "extra.txt", ".lock", ".staging/x",
		"report.json/x", "a\x00b", "RUNNING.json", "FAILED.json", `..\x`, strings.Repeat("x/", 5000) + "x",
	} {
		_, err := s.Artifact(repo, run.Record().ID, name, "", 0)
		e := wantClass(t, err, gavel.ArtifactMissing)
		answers[strings.Replace(e.Message, noArtifact("", name).Message[len("run  "):], "", 1)] = name
	}
	if len(answers) != 1 {
		t.Errorf("%d kinds of answer: %v", len(answers), answers)
	}
}

func TestArtifactsOfARunThatDidNotComplete(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	id := run.Record().ID
	pack(t, run)
	run.Log("a log")
	_, err := run.Errors().Write([]byte("bad \xff byte\n"))
	must(t, err)
	for name, want := range map[string]string{RunLog: "began\na log\n", RunErrors: "bad \uFFFD byte\n"} {
		if page, err := s.Artifact(repo, id, name, "", 0); err != nil || page.Content != want {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
	_, err = s.Artifact(repo, id, PackQuality+"/go-vet.json", "", 0)
	wantClass(t, err, gavel.StaleRun)
	_, err = s.Artifact(repo, id, PackReport, "", 0)
	wantClass(t, err, gavel.StaleRun)
	must(t, run.Fail("over"))
	if page, err := s.Artifact(repo, id, PackQuality+"/go-vet.json", "", 0); err != nil || page.Content != "{}\n" {
		t.Errorf("%+v, %v", page, err)
	}
	if page, err := s.Artifact(repo, id, RunLog, "", 0); err != nil || page.TotalLines != 2 {
		t.Errorf("%+v, %v", page, err)
	}
	_, err = s.Artifact(repo, id, PackReport, "", 0)
	wantClass(t, err, gavel.RunFailed)
	_, err = s.Artifact(repo, id, PackQuality+"/eslint.json", "", 0)
	wantClass(t, err, gavel.ArtifactMissing)
	_, err = s.Artifact(repo, "../"+id, RunLog, "", 0)
	wantClass(t, err, gavel.RunNotFound)
}

// Pages of a log that grows go on where they ended.
func TestGrowingLog(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	for range 3 {
		run.Log("a line")
	}
	page, err := s.Artifact(repo, run.Record().ID, RunLog, "", 2)
	if err != nil || page.Content != "a line\na line\n" || page.NextCursor == "" {
		t.Fatalf("%+v, %v", page, err)
	}
	run.Log("more")
	if page, err = s.Artifact(repo, run.Record().ID, RunLog, page.NextCursor, 0); err != nil || page.Content != "a line\nmore\n" || page.TotalLines != 4 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestChangedArtifact(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := finished(t, s, repo, someRun("main"), runStart)
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo), "main", id)
	must(t, os.WriteFile(filepath.Join(dir, PackMergeGate), []byte(`{"verdict":"PASS"}`), 0o600))
	_, err := s.Artifact(repo, id, PackMergeGate, "", 0)
	wantClass(t, err, gavel.StorageCorrupt)
	_, err = s.PackFile(repo, id, PackMergeGate)
	wantClass(t, err, gavel.StorageCorrupt)
	must(t, os.Remove(filepath.Join(dir, PackMergeGate)))
	_, err = s.PackFile(repo, id, PackMergeGate)
	wantClass(t, err, gavel.StorageCorrupt)
	_, err = s.PackFile(repo, id, "nothing")
	wantClass(t, err, gavel.ArtifactMissing)
}

// Whether a file is text does not hang on where its blocks end, and pages put together are the file.
func FuzzArtifactPages(f *testing.F) {
	f.Add([]byte("a\nb\xe2\x82\xac\n"), 3, 1)
	f.Add([]byte("\xe2\x82"), 1, 1)
	f.Add([]byte("\xf0\x9f\x98\x80\xff"), 2, 5)
	f.Fuzz(func(t *testing.T, data []byte, block, limit int) {
		block, limit = max(1, min(block, 64)), max(1, min(limit, 64))
		var whole []byte
		for offset := int64(0); ; {
			r := newArtifactReader(offset, limit)
			for rest := data; len(rest) > 0; {
				n := min(block, len(rest))
				_, _ = r.Write(rest[:n])
				rest = rest[n:]
			}
			page, next, ok := r.page(false)
			if ok != utf8.Valid(data) {
				t.Fatalf("text: %v", ok)
			}
			if !ok {
				return
			}
			whole = append(whole, page.Content...)
			if next == 0 {
				break
			}
			if next <= offset {
				t.Fatalf("the page at %d ends at %d", offset, next)
			}
			offset = next
		}
		if !bytes.Equal(whole, data) {
			t.Fatalf("%q became %q", data, whole)
		}
	})
}
