package detect

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var gateConfig = Detector{Name: "gate_config", Rules: []*gavel.Rule{ruleGateConfig}, Run: runGateConfig, Finish: finishGateConfig, Everywhere: true}

var ruleGateConfig = &gavel.Rule{
	ID:    "hygiene/gate-config-touched",
	Title: "Change touches what judges it",
	Text: "CI workflows, commit hooks, linter settings, code owners, gavel's own policy and git attributes that hide text decide whether this " +
		"very change may pass. A person should look at such a change even when it is right. One finding a file says what changed. " +
		"What touches gavel's own policy, hides text from diffs, takes a gate away or makes it pass regardless is medium. Other changes of CI, " +
		"hooks and linters are medium when the same change touches code, which they then judge, and info when they stand alone. " +
		"An update of pinned versions and a change of comments alone are info. A scan of a folder does not report it.",
	Fix:      "Move the change of the gate into a change of its own and let its owner approve it.",
	Before:   "- run: go test ./...\n+ run: go test ./... || true",
	After:    "  run: go test ./...",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

func runGateConfig(p *Pass) {
	if p.Whole {
		return
	}
	f := p.File
	gate := code.GateOf(f.Path)
	if gate == code.NoGate && f.OldPath != "" && f.Status == gavel.Renamed {
		gate = code.GateOf(f.OldPath)
	}
	if gate == code.NoGate || code.Vendored(f.Path) || code.IsFixture(f.Path) {
		return
	}
	edit := p.edit()
	if gate == code.GateAttributes && !edit.hides {
		return
	}
	found := p.Hold(ruleGateConfig, edit.first, fmt.Sprintf("The %s is %s.", gate, edit.what(f)))
	switch {
	case f.Status == gavel.Deleted || f.Status == gavel.Renamed || edit.lines == 0:
		p.Count(gateWeakened, 1)
	case edit.pins+edit.comments == edit.lines:
		found.Severity = gavel.Info
	case gate == code.GatePolicy || gate == code.GateAttributes || edit.weakens != "":
		p.Count(gateWeakened, 1)
	}
}

const gateWeakened = "gate.weakened"

// finishGateConfig weighs the touched gates: one that judges code of the same change, or that is weakened, is worth a
// person's look; a change of CI that stands alone says by itself what it is.
func finishGateConfig(s *Summary) {
	code := s.ChangesCode()
	for _, file := range s.Files {
		for _, f := range file.Held {
			if f.Rule != ruleGateConfig.ID {
				continue
			}
			if !code && file.Facts[gateWeakened] == 0 {
				f.Severity = gavel.Info
			}
			s.Release(f)
		}
	}
}

// edit is what happened to a small configuration file.
type edit struct {
	added, removed        int
	lines, comments, pins int  // changed lines that are not blank, and those among them
	hides                 bool // git attributes that keep text out of a diff
	weakens               string
	first                 Span
}

func (p *Pass) edit() edit {
	var e edit
	for i := range p.File.Hunks {
		for j := range p.File.Hunks[i].Lines {
			l := &p.File.Hunks[i].Lines[j]
			if l.Op == gavel.Context {
				continue
			}
			e.count(l)
			e.place(l)
		}
	}
	return e
}

// place keeps the first added line that is not blank; where there is none, the first removed one.
func (e *edit) place(l *gavel.Line) {
	if strings.TrimSpace(l.Text) != "" && (e.first.Line == 0 || e.first.Old && l.Op == gavel.Add) {
		e.first = Span{Line: max(l.New, l.Old), Old: l.Op == gavel.Remove, Text: l.Text}
	}
}

func (e *edit) count(l *gavel.Line) {
	if l.Op == gavel.Add {
		e.added++
	} else {
		e.removed++
	}
	text := strings.TrimSpace(l.Text)
	if text == "" {
		return
	}
	e.lines++
	switch {
	case strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//"):
		e.comments++
		return
	case pin(text):
		e.pins++
	}
	if l.Op != gavel.Add {
		return
	}
	for _, a := range []string{" -diff", " binary", " -text", "linguist-generated", "linguist-vendored"} {
		e.hides = e.hides || strings.Contains(text, a)
	}
	for _, w := range []string{"continue-on-error: true", "|| true", "allow_failure: true", "|| exit 0", "if: false", "--no-verify", "set +e"} {
		if e.weakens == "" && strings.Contains(text, w) {
			e.weakens = w
		}
	}
}

// pin reports whether the line names a version of a tool and nothing else.
func pin(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "- "))
	for _, key := range []string{"uses:", "rev:", "image:", "version:", "go-version:", "node-version:", "python-version:", "java-version:"} {
		if strings.HasPrefix(text, key) {
			return true
		}
	}
	key, _, _ := strings.Cut(text, ":")
	return strings.HasSuffix(key, "_VERSION") || strings.HasSuffix(key, "_SHA256")
}

func (e *edit) what(f *gavel.File) string {
	var s string
	switch {
	case f.Status == gavel.Deleted:
		return "deleted"
	case f.Status == gavel.Added:
		s = fmt.Sprintf("added with %d lines", e.added)
	case f.Status == gavel.Renamed && e.lines == 0:
		return "moved from " + strings.ToValidUTF8(ShownPath(f.OldPath), "?")
	case e.lines == 0:
		return "changed without a changed line: its mode, its kind or its end"
	default:
		s = fmt.Sprintf("changed: %d lines added, %d removed", e.added, e.removed)
	}
	if e.weakens != "" {
		s += fmt.Sprintf("; an added line says `%s`", e.weakens)
	}
	return s
}
