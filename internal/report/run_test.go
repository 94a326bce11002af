package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// runSample is a run under the name that its golden files get.
type runSample struct {
	name string
	run  *Run
}

var runFormats = []struct {
	ext   string
	write func(io.Writer, *Run) error
}{
	{"summary.md", RunSummary},
	{"index.md", AIIndex},
	{"html", RunHTML},
	{"txt", func(w io.Writer, r *Run) error { return RunText(w, r, TextOptions{}) }},
	{"narrow.txt", func(w io.Writer, r *Run) error { return RunText(w, r, TextOptions{Width: 60, ASCII: true}) }},
	{"ansi", func(w io.Writer, r *Run) error { return RunText(w, r, TextOptions{Width: 100, Color: true}) }},
	{"shadow.txt", func(w io.Writer, r *Run) error { return RunText(w, r, TextOptions{SummaryOnly: true}) }},
}

func runRecord() gavel.RunRecord {
	start := time.Date(2026, 1, 2, 3, 4, 1, 0, time.UTC)
	return gavel.RunRecord{
		ID: "20260102-030401-0123456", Kind: gavel.RunOfChange, Profile: gavel.ProfileQuick, Subject: gavel.SubjectCommit,
		Commit: strings.Repeat("0123456789", 4), Tree: strings.Repeat("b", 40), Branch: "feature/refund", BaseUsed: []string{"origin/main"},
		BaseCommit: strings.Repeat("a", 40), MergeBase: strings.Repeat("c", 40), StartedAt: start,
	}
}

func newRunSample(name string, rec gavel.RunRecord, e gavel.Evidence, change func(*Run)) runSample {
	r := &Run{Findings: e.Findings, LeftOut: e.LeftOut, Coverage: gavel.Coverage{Files: 4 + len(e.Skipped), Reviewed: 4, Skipped: e.Skipped, Model: gavel.ModelNone}}
	r.Gate = gavel.NewMergeGate(rec, e, gavel.DefaultPolicy(), r.Coverage.Files, rec.StartedAt.Add(3*time.Second))
	for _, c := range e.Checks {
		r.Checks = append(r.Checks, CheckLine{ID: c.ID, Title: c.ID, Status: c.Status, Reason: c.Reason, Detail: c.Detail, Required: c.Required, Findings: c.Findings})
	}
	r.Files = []string{"MANIFEST.json", "run.log", "20_quality/eslint@web.log", "20_quality/eslint@web.json", "00_summary/MERGE_GATE.json", "00_summary/SUMMARY.md", "30_context/INLINE_FINDINGS.sarif", "10_diff/full.patch", "report.json", "notes.txt"}
	if change != nil {
		change(r)
	}
	return runSample{name, r}
}

func lintFinding(change func(*gavel.Finding)) gavel.Finding {
	return finding(func(f *gavel.Finding) {
		f.Source, f.Check, f.Rule, f.Category = gavel.SourceCheck, "eslint@web", "check/eslint/no-eval", gavel.CategoryBug
		f.File, f.Line, f.Title, f.Description, f.Suggestion = "web/cart.js", 9, "eval can be harmful", "", "Parse the input instead."
		if change != nil {
			change(f)
		}
	})
}

func blockedRun() runSample {
	e := gavel.Evidence{
		Findings: []gavel.Finding{
			keyFinding(), lintFinding(nil),
			lintFinding(func(f *gavel.Finding) {
				f.Line, f.Severity, f.Rule, f.Title = 30, gavel.Low, "check/eslint/semi", "missing semicolon"
			}),
			lintFinding(func(f *gavel.Finding) {
				f.Line, f.Baseline, f.Scope = 80, gavel.BaselineUnchanged, gavel.ScopeChangedFile
			}),
			finding(func(f *gavel.Finding) {
				f.File, f.Line, f.Column, f.Pending = "web/pay.test.js", 3, 0, "line 2, until 2026-03-01: enabled after the release"
			}),
			finding(func(f *gavel.Finding) {
				f.File, f.Settled = "web/old.test.js", []gavel.Settlement{{Reason: gavel.ReasonBaseline, Detail: "g1:0123"}}
			}),
			lintFinding(func(f *gavel.Finding) {
				f.File, f.Line, f.Severity, f.Title = "", 0, gavel.Medium, "configuration is old"
			}),
		},
		Skipped: []gavel.Skip{{Path: "db/dump.sql", Reason: gavel.SkipTooLarge, Detail: "81 MiB"}, {Path: "go.sum", Reason: gavel.SkipLockFile}},
		Checks: []gavel.CheckResult{
			{ID: "eslint@web", Status: gavel.CheckFail, Findings: 4, Baseline: gavel.BaselineNew, Coverage: gavel.CoverageFull},
			{ID: "go-test", Status: gavel.CheckFail, Baseline: gavel.BaselineNew, Coverage: gavel.CoverageFull, Evidence: []string{"example.com/pay.TestRefund fails newly"}},
			{ID: "go-vet", Status: gavel.CheckNoScan, Reason: "tool_missing", Detail: "go is not on PATH", Required: true, Coverage: gavel.CoverageUnknown},
			{ID: "hadolint", Status: gavel.CheckSkip, Reason: "nothing_to_check"},
			{ID: "tsc@web", Status: gavel.CheckPass, Coverage: gavel.CoverageReduced, Reduced: []string{"2 files"}},
		},
		LeftOut: []string{"audit", "model review"}, Profile: gavel.ProfileQuick, ConfigChanged: []string{".eslintrc.json"},
	}
	return newRunSample("blocked", runRecord(), e, func(r *Run) {
		r.Notes = []string{"The change loosens fail_on to \"critical\"; it stays at \"high\", as on the trusted base."}
		lint, tests := &r.Checks[0], &r.Checks[1]
		lint.Duration, lint.New, lint.Old, lint.Tool, lint.Log = 1234*time.Millisecond, 3, 1, "eslint 9.17.0", "20_quality/eslint@web.log"
		r.Version, r.Files = "0.1.0", append(r.Files, "report.html")
		r.Excerpts = map[string][]gavel.Hunk{"web/cart.js": cartHunks(), "web/pay.test.js": payHunks()}
		tests.Duration, tests.Failing, tests.Fixed = 83*time.Second, []string{"example.com/pay.TestRefund"}, []string{"a", "b"}
		r.Checks[4].Duration, r.Checks[4].Cached, r.Checks[4].Tool = 45*time.Millisecond, true, "tsc 5.7.2"
	})
}

// cartHunks change the lines 8 to 10 of a file, and put its line 30 where another was.
func cartHunks() []gavel.Hunk {
	return []gavel.Hunk{
		{OldStart: 6, OldLines: 3, NewStart: 6, NewLines: 6, Lines: []gavel.Line{
			{Op: gavel.Context, Old: 6, New: 6, Text: "function total(cart) {"}, {Op: gavel.Context, Old: 7, New: 7, Text: "\tlet sum = 0;"},
			{Op: gavel.Add, New: 8, Text: "\t// <b>as & said</b>"}, {Op: gavel.Add, New: 9, Text: "\tsum = eval(cart.total);\r"},
			{Op: gavel.Add, New: 10, Text: "\tcheck(\"AKIA****\");"}, {Op: gavel.Context, Old: 8, New: 11, Text: "\treturn sum;"},
		}},
		{OldStart: 27, OldLines: 1, NewStart: 30, NewLines: 1, Lines: []gavel.Line{
			{Op: gavel.Remove, Old: 27, Text: "done();"}, {Op: gavel.Add, New: 30, Text: "done()"},
		}},
	}
}

// payHunks take the third line of a file away.
func payHunks() []gavel.Hunk {
	return []gavel.Hunk{{OldStart: 2, OldLines: 2, NewStart: 2, NewLines: 2, Lines: []gavel.Line{
		{Op: gavel.Context, Old: 2, New: 2, Text: "// gavel:ignore"}, {Op: gavel.Remove, Old: 3, Text: "\tit.only('adds up', () => {"},
		{Op: gavel.Add, New: 3, Text: "\tit('adds up', () => {"},
	}}}
}

func runSamples() []runSample {
	index := runRecord()
	index.Subject, index.Branch, index.Commit, index.BaseFallback = gavel.SubjectIndex, "", "", true
	return []runSample{
		newRunSample("clean", runRecord(), gavel.Evidence{Checks: []gavel.CheckResult{{ID: "go-vet", Status: gavel.CheckPass, Required: true}}}, nil),
		newRunSample("conditional", index, gavel.Evidence{NoChanges: true, Checks: []gavel.CheckResult{{ID: "go-vet", Status: gavel.CheckError, Reason: "crashed", Required: true}}}, func(r *Run) {
			r.Checks[0].Log = "20_quality/go-vet.log"
		}),
		newRunSample("unjudged", runRecord(), gavel.Evidence{NotJudged: "the model failed"}, nil),
		blockedRun(),
		hostileRun(),
		{"stored", &Run{Gate: blockedRun().run.Gate}},
		newRunSample("nothing", gavel.RunRecord{}, gavel.Evidence{}, func(r *Run) { *r = Run{Gate: &gavel.MergeGate{}} }),
	}
}

// hostileRun says every hostile text wherever a run takes text from elsewhere.
func hostileRun() runSample {
	all := strings.Join(hostiles, " ")
	e := gavel.Evidence{Findings: append(hostileSample().doc.Findings, hostileSample().doc.Settled...), Caveats: hostiles, ConfigChanged: hostiles, LeftOut: hostiles}
	for i, h := range hostiles {
		e.Findings = append(e.Findings, lintFinding(func(f *gavel.Finding) {
			f.File, f.Title, f.Rule, f.Check, f.Suggestion, f.Pending = gavel.DisplayPath("lint/"+h), h, "check/"+h+"/"+h, h, h, h
		}))
		e.Skipped = append(e.Skipped, gavel.Skip{Path: gavel.DisplayPath(h), Reason: unexpectedSkips[i%len(unexpectedSkips)], Detail: h})
		e.Gates = append(e.Gates, gavel.Gate{ID: h, Status: gavel.GateUnknown, Reason: h}, gavel.Gate{ID: h, Status: gavel.GateFail, Evidence: []string{h}})
		e.Checks = append(e.Checks, gavel.CheckResult{ID: h, Status: gavel.CheckStatus(h), Reason: h, Detail: h, Required: true, Evidence: []string{h}})
	}
	rec := runRecord()
	rec.ID, rec.Branch, rec.BaseUsed, rec.Commit, rec.Tree, rec.MergeBase, rec.BaseCommit = all, all, hostiles, all, all, all, all
	rec.Profile, rec.Subject = gavel.Profile(all), gavel.SubjectKind(all)
	return newRunSample("hostile", rec, e, func(r *Run) {
		r.Notes, r.Files = hostiles, append(r.Files, hostiles...)
		for i := range r.Checks {
			c := &r.Checks[i]
			c.Tool, c.Log, c.Title, c.Failing, c.Removed = c.ID, c.ID, c.ID, hostiles, hostiles
		}
	})
}

func renderRun(t *testing.T, s runSample, write func(io.Writer, *Run) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, s.run); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return b.String()
}

func TestRunGolden(t *testing.T) {
	t.Parallel()
	for _, s := range runSamples() {
		for _, f := range runFormats {
			text := renderRun(t, s, f.write)
			if f.ext == "html" { // how it looks is no part of what it says
				text = strings.NewReplacer(styleSheet, "", html.EscapeString(contentPolicy()), "").Replace(text)
			}
			golden(t, filepath.Join("testdata", "golden", "run-"+s.name+"."+f.ext), []byte(text))
		}
	}
}

// TestRunViewsAreOnlyOurs: whatever a repository, a tool or a stored decision says stays text.
func TestRunViewsAreOnlyOurs(t *testing.T) {
	t.Parallel()
	for _, s := range runSamples() {
		for _, f := range runFormats {
			text := renderRun(t, s, f.write)
			switch {
			case strings.HasSuffix(f.ext, ".md"):
				checkNoControls(t, s.name+" as "+f.ext, text)
				page := gfm(t, text)
				for _, own := range []string{"h1", "h2", "ol"} { // which the report on a pull request does without
					page = strings.NewReplacer("<"+own+">", "<p>", "</"+own+">", "</p>").Replace(page)
				}
				checkMarkdown(t, s.name+" as "+f.ext, page)
			case f.ext == "html":
				checkNoControls(t, s.name+" as "+f.ext, text)
				checkHTML(t, s, text)
			case f.ext != "ansi":
				checkNoControls(t, s.name+" as "+f.ext, text)
			}
		}
	}
}

func TestRunTextColourAndWidth(t *testing.T) {
	t.Parallel()
	for _, s := range runSamples() {
		for _, columns := range []int{1, 40, 60, 80, 120, 500} {
			view := func(colour bool) string {
				return renderRun(t, s, func(w io.Writer, r *Run) error { return RunText(w, r, TextOptions{Width: columns, Color: colour}) })
			}
			plain := view(false)
			if strings.Contains(plain, "\x1b") || sgr.ReplaceAllString(view(true), "") != plain {
				t.Errorf("%s at %d: colour changes the text", s.name, columns)
			}
			for line := range strings.SplitSeq(plain, "\n") {
				if width(line) > min(max(columns, 40), 120) && !strings.HasPrefix(line, "    gavel ") {
					t.Errorf("%s at %d: %d columns: %s", s.name, columns, width(line), line)
				}
			}
		}
	}
}

// Every view begins with the decision, and with no other.
func TestRunViewsSayTheVerdictFirst(t *testing.T) {
	t.Parallel()
	want := map[string]string{"clean": "PASS", "conditional": "CONDITIONAL", "unjudged": "NOT JUDGED", "blocked": "BLOCK", "hostile": "BLOCK", "stored": "BLOCK", "nothing": "NOT JUDGED"}
	for _, s := range runSamples() {
		for _, f := range runFormats {
			if f.ext == "ansi" {
				continue
			}
			text := renderRun(t, s, f.write)
			if f.ext == "html" {
				text = seen(text)
			}
			first, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			if !strings.HasPrefix(first, want[s.name]+":") {
				t.Errorf("%s as %s begins with %q", s.name, f.ext, first)
			}
		}
	}
}

// What a person must do stands in every whole view.
func TestRunViewsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, s := range []runSample{blockedRun(), runSamples()[1]} {
		for _, f := range runFormats[:4] {
			text := renderRun(t, s, f.write)
			if f.ext == "html" {
				text = seen(text)
			}
			text = strings.Join(strings.Fields(strings.ReplaceAll(text, `\`, "")), " ")
			for _, g := range s.run.Gate.Gates {
				if (g.Status == gavel.GateConditional || g.Status == gavel.GateUnknown) && !strings.Contains(text, g.Reason) {
					t.Errorf("%s as %s does not say %q:\n%s", s.name, f.ext, g.Reason, text)
				}
			}
			for _, line := range s.run.Gate.Blocking {
				if !strings.Contains(text, line) {
					t.Errorf("%s as %s does not say that it blocks: %q", s.name, f.ext, line)
				}
			}
		}
	}
}

func TestRunViewsAreBounded(t *testing.T) {
	t.Parallel()
	e := gavel.Evidence{}
	for i := range 3000 {
		e.Findings = append(e.Findings, finding(func(f *gavel.Finding) { f.File, f.Severity = fmt.Sprintf("dir/%d.js", i/7), gavel.Low }))
		e.Checks = append(e.Checks, gavel.CheckResult{ID: fmt.Sprintf("eslint@p%d", i), Status: gavel.CheckNoScan, Reason: "tool_missing"})
		e.Gates = append(e.Gates, gavel.Gate{ID: fmt.Sprint(i), Status: gavel.GateUnknown, Reason: "look"})
	}
	s := newRunSample("many", runRecord(), e, func(r *Run) {
		for i := range r.Checks {
			r.Files = append(r.Files, fmt.Sprintf("20_quality/%d.log", i))
		}
	})
	for _, f := range runFormats {
		most := 128 << 10
		if f.ext == "html" {
			most = 640 << 10
		}
		if text := renderRun(t, s, f.write); len(text) > most {
			t.Errorf("%s has %d bytes", f.ext, len(text))
		}
	}
	summary := renderRun(t, s, RunSummary)
	for _, want := range []string{"findings more: see report.html, which counts them by rule, and the SARIF.", "checks more.", "and 2950 more"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary does not say %q", want)
		}
	}
}

func TestRunViewFailures(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for _, s := range runSamples() {
		for _, f := range runFormats {
			if err := f.write(failingWriter{full}, s.run); !errors.Is(err, full) {
				t.Errorf("%s as %s: the write error is lost: %v", s.name, f.ext, err)
			}
		}
	}
}

// The views leave the run as it was, and say the same of the same.
func TestRunViewsAreDeterministic(t *testing.T) {
	t.Parallel()
	for i, s := range runSamples() {
		before, _ := json.Marshal(s.run)
		for _, f := range runFormats {
			if renderRun(t, s, f.write) != renderRun(t, runSamples()[i], f.write) {
				t.Errorf("%s as %s differs between two runs", s.name, f.ext)
			}
		}
		if after, _ := json.Marshal(s.run); !bytes.Equal(before, after) {
			t.Errorf("%s was changed by writing it", s.name)
		}
	}
}

func TestIndexListsFilesInReadingOrder(t *testing.T) {
	t.Parallel()
	text := renderRun(t, blockedRun(), AIIndex)
	at := -1
	for _, path := range []string{"1. `00_summary/MERGE_GATE.json`", "`00_summary/SUMMARY.md`", "`30_context/", "`report.json`", "`10_diff/", "`20_quality/`", "`20_quality/eslint@web.json`", "`report.html`", "`run.log`", "`MANIFEST.json`", "`notes.txt`"} {
		i := strings.Index(text, path)
		if i <= at {
			t.Errorf("%s is not behind what comes before it:\n%s", path, text)
		}
		at = i
	}
	if strings.Contains(text, "run.stderr.log") {
		t.Error("it names a file that is not there")
	}
}

// TestSarifOfARun: findings of checks are results like any other.
func TestSarifOfARun(t *testing.T) {
	t.Parallel()
	official, err := os.ReadFile("testdata/oasis/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compile(t, sarifSchema, official)
	for _, s := range runSamples() {
		doc := newSample(s.name, s.run.Findings, nil)
		if err := validate(t, schema, render(t, doc, formats[1].write)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	run := sarifOf(t, newSample("blocked", blockedRun().run.Findings, nil)).Runs[0]
	states := map[string]int{}
	for _, r := range run.Results {
		if !strings.HasPrefix(r.RuleID, "check/") {
			continue
		}
		states[r.BaselineState]++
		if r.Properties["check"] != "eslint@web" || r.Properties["source"] != "check" || r.Properties["suggestion"] != "Parse the input instead." {
			t.Errorf("%+v", r.Properties)
		}
		if len(r.Locations) == 0 && r.Properties["severity"] != "medium" {
			t.Errorf("%s has no place", r.RuleID)
		}
	}
	if states["new"] != 3 || states["unchanged"] != 1 {
		t.Errorf("baseline states %v", states)
	}
	i := slices.IndexFunc(run.Tool.Driver.Rules, func(r struct {
		ID                   string
		Help                 struct{ Text, Markdown string }
		DefaultConfiguration struct{ Level string }
		Properties           map[string]any
	}) bool {
		return r.ID == "check/eslint/no-eval"
	})
	if i < 0 || !strings.Contains(run.Tool.Driver.Rules[i].Help.Markdown, "`no-eval` of the check `eslint`") {
		t.Errorf("the check's rule has no help of its own: %+v", run.Tool.Driver.Rules)
	}
}
