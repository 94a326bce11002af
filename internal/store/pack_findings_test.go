package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// someSARIF is a document with n results, in no order: files f0..f9, three severities, every fourth one new.
func someSARIF(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"$schema":"x","version":"2.1.0","runs":[{"tool":{"driver":{"name":"gavel","rules":[{"id":"a"}]}},"results":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		severity := []gavel.Severity{gavel.Critical, gavel.Medium, gavel.Info}[i%3]
		baseline := "unchanged"
		if i%4 == 0 {
			baseline = "new"
		}
		fmt.Fprintf(&b, `{"ruleId":"check/rule-%d","level":%q,"message":{"text":"Number %d."},"locations":[{"physicalLocation":
			{"artifactLocation":{"uri":"src/f%d.go","uriBaseId":"%%SRCROOT%%"},"region":{"startLine":%d}}}],
			"partialFingerprints":{"gavel/v1":"g1:%032x"},"baselineState":%q,
			"properties":{"severity":%q,"source":"check","scope":"changed_line","suggestion":"Fix %d."}}`,
			i%7, severity.Level(), i, i*7%10, n-i, i, baseline, severity, i)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// withSARIF is a completed run with that SARIF, "" for none.
func withSARIF(t testing.TB, s *Store, repo RunRepo, sarif []byte) string {
	t.Helper()
	run := start(t, s, repo, someRun("main"), runStart)
	pack(t, run)
	if sarif != nil {
		must(t, run.Write(PackSARIF, sarif))
	}
	must(t, run.Finish(someEnd(run)))
	return run.Record().ID
}

// allFindings walks every page.
func allFindings(t testing.TB, s *Store, repo RunRepo, id string, q FindingQuery) []FindingItem {
	t.Helper()
	var all []FindingItem
	for {
		page, err := s.Findings(repo, id, q)
		must(t, err)
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			if page.Total != len(all) {
				t.Errorf("%+v: total %d, %d items", q, page.Total, len(all))
			}
			return all
		}
		q.Cursor = page.NextCursor
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, someSARIF(300))
	all := allFindings(t, s, repo, id, FindingQuery{})
	if len(all) != 300 || !slices.IsSortedFunc(all, func(a, b FindingItem) int {
		return strings.Compare(fmt.Sprintf("%s %06d %s", a.File, a.Line, a.Rule), fmt.Sprintf("%s %06d %s", b.File, b.Line, b.Rule))
	}) {
		t.Errorf("%d findings, or not in order", len(all))
	}
	want := FindingItem{
		File: "src/f0.go", Line: 10, Severity: "note", Rule: "check/rule-3", Message: "Number 290.", ArtifactRef: PackSARIF,
		Level: "info", Fingerprint: fmt.Sprintf("g1:%032x", 290), Baseline: "unchanged", Scope: "changed_line", Source: "check", Suggestion: "Fix 290.",
	}
	if got := fmt.Sprintf("%+v", all[0]); got != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %s\nwant %+v", got, want)
	}
	for name, tt := range map[string]struct {
		q    FindingQuery
		want func(FindingItem) bool
	}{
		"severity":     {FindingQuery{Severity: "ERROR", Limit: 7}, func(f FindingItem) bool { return f.Severity == "error" }},
		"note":         {FindingQuery{Severity: "note"}, func(f FindingItem) bool { return f.Level == "info" }},
		"none":         {FindingQuery{Severity: "none"}, func(FindingItem) bool { return false }},
		"min severity": {FindingQuery{MinSeverity: "medium", Limit: 1000}, func(f FindingItem) bool { return f.Level != "info" }},
		"path":         {FindingQuery{Path: "src/f3", Limit: 1}, func(f FindingItem) bool { return f.File == "src/f3.go" }},
		"folder":       {FindingQuery{Path: "src/"}, func(FindingItem) bool { return true }},
		"no such path": {FindingQuery{Path: "src/g"}, func(FindingItem) bool { return false }},
		"before all":   {FindingQuery{Path: "a"}, func(FindingItem) bool { return false }},
		"new":          {FindingQuery{NewOnly: true, Limit: 13}, func(f FindingItem) bool { return f.Baseline == "new" }},
		"together": {FindingQuery{NewOnly: true, Path: "src/f4", Severity: "warning", Limit: 2}, func(f FindingItem) bool {
			return f.Baseline == "new" && f.File == "src/f4.go" && f.Severity == "warning"
		}},
	} {
		got := allFindings(t, s, repo, id, tt.q)
		var wanted []FindingItem
		for _, f := range all {
			if tt.want(f) {
				wanted = append(wanted, f)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%s: %d findings, want %d", name, len(got), len(wanted))
		}
	}
}

func TestFindingLimits(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, someSARIF(1200))
	for limit, want := range map[int]int{0: 100, 1: 1, -5: 1, 1000: 1000, 5000: 1000} {
		if page, err := s.Findings(repo, id, FindingQuery{Limit: limit}); err != nil || len(page.Items) != want || page.Total != 1200 {
			t.Errorf("limit %d: %d items, %v", limit, len(page.Items), err)
		}
	}
}

func TestForeignCursors(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, someSARIF(300))
	other := withSARIF(t, s, repo, someSARIF(300))
	page, err := s.Findings(repo, id, FindingQuery{Limit: 10})
	must(t, err)
	cursor := page.NextCursor
	if _, err := s.Findings(repo, id, FindingQuery{Limit: 20, Cursor: cursor}); err != nil {
		t.Errorf("another limit: %v", err)
	}
	for name, ask := range map[string]func() error{
		"another run":    func() error { _, err := s.Findings(repo, other, FindingQuery{Cursor: cursor}); return err },
		"another filter": func() error { _, err := s.Findings(repo, id, FindingQuery{Cursor: cursor, NewOnly: true}); return err },
		"garbled":        func() error { _, err := s.Findings(repo, id, FindingQuery{Cursor: "A" + cursor[1:]}); return err },
		"cut":            func() error { _, err := s.Findings(repo, id, FindingQuery{Cursor: cursor[:10]}); return err },
		"a number":       func() error { _, err := s.Findings(repo, id, FindingQuery{Cursor: "10"}); return err },
		"of an artifact": func() error { _, err := s.Artifact(repo, id, RunLog, cursor, 0); return err },
		"severity":       func() error { _, err := s.Findings(repo, id, FindingQuery{Severity: "high"}); return err },
		"min severity":   func() error { _, err := s.Findings(repo, id, FindingQuery{MinSeverity: "error"}); return err },
	} {
		if err := ask(); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			if name == "garbled" && cursor[0] == 'A' {
				continue
			}
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFindingsWithoutSARIF(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, nil)
	page, err := s.Findings(repo, id, FindingQuery{})
	if err != nil || page.Total != 0 || page.Items == nil || page.NextCursor != "" {
		t.Errorf("%+v, %v", page, err)
	}
	data, err := json.Marshal(page)
	if err != nil || string(data) != `{"items":[],"total":0}` {
		t.Errorf("%s", data)
	}
}

func TestFindingsOfARunThatDidNotComplete(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	_, err := s.Findings(repo, run.Record().ID, FindingQuery{})
	if e := wantClass(t, err, gavel.StaleRun); e.RetryAfter != runRetry || !strings.Contains(e.Message, "verdict(run_id") {
		t.Errorf("%+v", e)
	}
	must(t, run.Fail("go vet never ended"))
	_, err = s.Findings(repo, run.Record().ID, FindingQuery{})
	if e := wantClass(t, err, gavel.RunFailed); !strings.Contains(e.Message, "go vet never ended") {
		t.Errorf("%+v", e)
	}
	_, err = s.Findings(repo, "20260310-123000-ffffffffffff", FindingQuery{})
	wantClass(t, err, gavel.RunNotFound)
}

// What is no SARIF is storage_corrupt, never an empty set.
func TestUnreadableSARIF(t *testing.T) {
	t.Parallel()
	for name, sarif := range map[string]string{
		"empty": "", "no JSON": "<xml/>", "array": "[]", "no runs": "{}", "runs of no kind": `{"runs":3}`, "null": `{"runs":null}`,
		"results of no kind": `{"runs":[{"results":{}}]}`, "result of no kind": `{"runs":[{"results":[3]}]}`,
		"cut": string(someSARIF(5)[:900]), "followed": `{"runs":[]} x`, "twice": `{"runs":[]}{}`,
	} {
		s, repo := home(t), someRepo("shop")
		id := withSARIF(t, s, repo, []byte(sarif))
		for range 2 {
			if _, err := s.Findings(repo, id, FindingQuery{}); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.StorageCorrupt {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The index is trusted as long as the SARIF is the same file; whatever moves makes it read again.
func TestChangedSARIF(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	sarif := someSARIF(50)
	id := withSARIF(t, s, repo, sarif)
	allFindings(t, s, repo, id, FindingQuery{})
	path := filepath.Join(s.Root(), runsFolder, keyOf(t, repo), "main", id, filepath.FromSlash(PackSARIF))
	later := time.Now().Add(time.Minute)
	must(t, os.Chtimes(path, later, later))
	allFindings(t, s, repo, id, FindingQuery{})
	changed := bytes.Replace(sarif, []byte("Number 7."), []byte("Number 8."), 1)
	must(t, os.WriteFile(path, changed, 0o600))
	_, err := s.Findings(repo, id, FindingQuery{})
	wantClass(t, err, gavel.StorageCorrupt)
	must(t, os.WriteFile(path, sarif, 0o600))
	allFindings(t, s, repo, id, FindingQuery{})
	must(t, replaceFile(path, changed, 0o600))
	_, err = s.Findings(repo, id, FindingQuery{})
	wantClass(t, err, gavel.StorageCorrupt)
	must(t, os.Remove(path))
	_, err = s.Findings(repo, id, FindingQuery{})
	wantClass(t, err, gavel.StorageCorrupt)
}

func keyOf(t testing.TB, repo RunRepo) string {
	t.Helper()
	key, err := repo.key()
	must(t, err)
	return key
}

// Whatever became of the index, the findings are the same.
func TestDamagedFindingIndex(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, someSARIF(200))
	want := fmt.Sprint(allFindings(t, s, repo, id, FindingQuery{}))
	paths, err := filepath.Glob(filepath.Join(s.Root(), findingsFolder, "*"+indexSuffix))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	whole, err := os.ReadFile(paths[0])
	must(t, err)
	for at := 0; at < len(whole); at += 1 + len(whole)/97 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x55
		must(t, os.WriteFile(paths[0], damaged, 0o600))
		got := fmt.Sprint(allFindings(t, s, repo, id, FindingQuery{}))
		if got != want {
			t.Fatalf("a flipped byte at %d of %d changes what is found", at, len(whole))
		}
		must(t, os.WriteFile(paths[0], whole[:at], 0o600))
		if got := fmt.Sprint(allFindings(t, s, repo, id, FindingQuery{})); got != want {
			t.Fatalf("an index of %d bytes changes what is found", at)
		}
	}
	must(t, os.RemoveAll(filepath.Dir(paths[0])))
	must(t, os.WriteFile(filepath.Dir(paths[0]), nil, 0o600)) // no index can be written
	if got := fmt.Sprint(allFindings(t, s, repo, id, FindingQuery{})); got != want {
		t.Error("without a folder for the index something else is found")
	}
}

func TestItemsOfSARIF(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		result string
		want   FindingItem
	}{
		"bare":        {`{}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown"}},
		"level":       {`{"level":"error"}`, FindingItem{Severity: "error", Level: "high", Baseline: "unknown"}},
		"odd words":   {`{"level":"fatal","properties":{"severity":"awful"}}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown"}},
		"escaped":     {`{"message":{"text":"see [a\\](b) and {{0}} and {{x}} {{1"}}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", Message: "see [a](b) and {0} and {{x}} {{1"}},
		"path":        {`{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b/%25.go"}}}]}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", File: "a b/%.go"}},
		"raw path":    {`{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"%FF.go"}}}]}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", File: `"\377.go"`}},
		"full path":   {`{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///a/b.go"}}}]}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", File: "/a/b.go"}},
		"half escape": {`{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%2.go"}}}]}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", File: "a%2.go"}},
		"settled":     {`{"suppressions":[{"status":"accepted","justification":"baseline"}]}`, FindingItem{Severity: "warning", Level: "medium", Baseline: "unknown", Settled: []string{"baseline"}}},
	} {
		tt.want.ArtifactRef = PackSARIF
		var got []FindingItem
		err := readResults(strings.NewReader(`{"runs":[{"results":[`+tt.result+`]}]}`), func(f FindingItem) error {
			got = append(got, f)
			return nil
		})
		if err != nil || len(got) != 1 || fmt.Sprintf("%+v", got[0]) != fmt.Sprintf("%+v", tt.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, tt.want)
		}
	}
}

// Any bytes are findings that can be paged through, or no SARIF.
func FuzzFindingIndex(f *testing.F) {
	f.Add(someSARIF(3), "src/")
	f.Add([]byte(`{"runs":[{"results":[{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"%41"}}}]},{}]},{}]}`), "A")
	f.Add([]byte(`{"runs":[{"results":null}]}`), "")
	f.Add([]byte(`{"runs":[],"runs":[[]]}`), "")
	f.Fuzz(func(t *testing.T, sarif []byte, prefix string) {
		sum := sha256.Sum256(sarif)
		x, err := buildInMemory(bytes.NewReader(sarif), fileStamp{}, hex.EncodeToString(sum[:]))
		if err != nil {
			if !errors.Is(err, errNoSARIF) {
				t.Fatal(err)
			}
			return
		}
		items, total, next, err := x.page(findingFilter{level: anyLevel}, 0, 1<<20)
		if err != nil || total != len(items) || next != 0 {
			t.Fatalf("%d of %d, next %d, %v", len(items), total, next, err)
		}
		begin := 0
		for _, item := range items {
			if strings.HasPrefix(item.File, prefix) {
				begin++
			}
		}
		if _, total, _, err := x.page(findingFilter{level: anyLevel, path: prefix}, 0, 1); err != nil || total != begin {
			t.Fatalf("%d below %q, want %d, %v", total, prefix, begin, err)
		}
	})
}

// FuzzFindingFooter reads any bytes as an index.
func FuzzFindingFooter(f *testing.F) {
	sarif := someSARIF(3)
	sum := sha256.Sum256(sarif)
	var b bytes.Buffer
	if _, err := buildIndex(&b, bytes.NewReader(sarif), fileStamp{1, 2, 3}, hex.EncodeToString(sum[:])); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		foot, _, err := readFooter(r, int64(len(data)))
		if err != nil {
			return
		}
		x := &findingIndex{r: r, foot: foot}
		_, _, _, _ = x.page(findingFilter{level: anyLevel, path: "src"}, 0, 10)
	})
}

func BenchmarkFindings(b *testing.B) {
	s, repo := home(b), someRepo("shop")
	sarif := someSARIF(100_000)
	id := withSARIF(b, s, repo, sarif)
	b.Run("build", func(b *testing.B) {
		sum := sha256.Sum256(sarif)
		for b.Loop() {
			_, err := buildIndex(io.Discard, bytes.NewReader(sarif), fileStamp{}, hex.EncodeToString(sum[:]))
			must(b, err)
		}
	})
	first, err := s.Findings(repo, id, FindingQuery{Path: "src/f4", NewOnly: true})
	must(b, err)
	for name, q := range map[string]FindingQuery{
		"first page": {}, "filtered": {Path: "src/f4", MinSeverity: "medium", NewOnly: true},
		"second page": {Path: "src/f4", NewOnly: true, Cursor: first.NextCursor},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				page, err := s.Findings(repo, id, q)
				if err != nil || len(page.Items) != 100 {
					b.Fatal(len(page.Items), err)
				}
			}
		})
	}
}
