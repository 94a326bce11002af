package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// snippetBytes is how much of a line a finding quotes.
const snippetBytes = 200

func newFinding(rule *gavel.Rule, path string, lang *code.Language, at Span, message string) gavel.Finding {
	f := gavel.Finding{
		Severity: rule.Severity, Title: rule.Title, Description: message, Suggestion: rule.Fix,
		File: ShownPath(path), Line: max(at.Line, 1), Language: lang.Name,
		Located: true, Rule: rule.ID, Category: rule.Category, Source: gavel.SourceDetector,
		Confidence: rule.Confidence, Scope: gavel.ScopeChangedLine, Baseline: gavel.BaselineNew, CWE: rule.CWE,
		Descriptive: rule.Descriptive,
	}
	if at.LineEnd > at.Line {
		f.LineEnd = at.LineEnd
	}
	if at.End > 0 {
		f.Column = at.Column + 1
	}
	return f
}

// complete fills in what depends on the masks of every detector.
func (r *report) complete(f *gavel.File, masks []mask) gavel.Finding {
	if r.at.Old {
		masks = nil
	}
	masks = disjoint(masks, len(r.at.Text))
	printed := masked(r.at.Text, masks, func(mask) string { return "*" })
	out := r.finding
	out.Commit = f.Commit
	out.Fingerprint = gavel.Fingerprint(r.rule.ID, out.File, printed)
	out.Aliases = aliases(r.rule, f, printed)
	if !r.at.Old {
		// Nothing looks for secrets in removed lines, so they are not quoted.
		out.Snippet = snippet(masked(r.at.Text, masks, func(m mask) string { return m.shown }), r.at.Column)
	}
	valid(&out.Title, &out.Description, &out.Suggestion, &out.Snippet, &out.Language)
	return out
}

// aliases are the fingerprints that the finding would have under the old path of a rename and the rule's old names.
func aliases(rule *gavel.Rule, f *gavel.File, printed string) []string {
	paths := []string{f.Path}
	if f.Status == gavel.Renamed && f.OldPath != "" && f.OldPath != f.Path {
		paths = append(paths, f.OldPath)
	}
	var out []string
	for _, path := range paths {
		for _, id := range append([]string{rule.ID}, rule.Aliases...) {
			if path != f.Path || id != rule.ID {
				out = append(out, gavel.Fingerprint(id, ShownPath(path), printed))
			}
		}
	}
	return out
}

// disjoint clips the masks to the line and merges those that overlap, keeping what the earliest shows.
func disjoint(masks []mask, size int) []mask {
	masks = slices.Clone(masks)
	slices.SortStableFunc(masks, func(a, b mask) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.shown, b.shown))
	})
	var out []mask
	for _, m := range masks {
		m.start, m.end = max(m.start, 0), min(m.end, size)
		switch {
		case m.start >= m.end:
		case len(out) > 0 && m.start < out[len(out)-1].end:
			out[len(out)-1].end = max(out[len(out)-1].end, m.end)
		default:
			out = append(out, m)
		}
	}
	return out
}

func masked(line string, masks []mask, shown func(mask) string) string {
	if len(masks) == 0 {
		return line
	}
	var b strings.Builder
	at := 0
	for _, m := range masks {
		b.WriteString(line[at:m.start])
		b.WriteString(shown(m))
		at = m.end
	}
	b.WriteString(line[at:])
	return b.String()
}

// snippet cuts the line around the column and makes it fit to be shown: valid UTF-8, no control character, and
// characters that do not show by their number.
func snippet(line string, column int) string {
	line = strings.TrimRight(line, " \t\r")
	before, after := "", ""
	if start := column - snippetBytes/2; len(line) > snippetBytes && start > 0 {
		start = min(start, len(line)-snippetBytes)
		for start > 0 && !utf8.RuneStart(line[start]) {
			start--
		}
		line, before = line[start:], "…"
	}
	if len(line) > snippetBytes {
		end := snippetBytes
		for end > snippetBytes-utf8.UTFMax && !utf8.RuneStart(line[end]) {
			end--
		}
		line, after = line[:end], "…"
	}
	return before + visible(line) + after
}

func visible(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte('\t')
		case unicode.IsControl(r):
		case r == utf8.RuneError || unicode.IsGraphic(r) && !hidden(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// hidden are graphic characters by category that show nothing.
func hidden(r rune) bool {
	return unicode.Is(unicode.Variation_Selector, r) || r == 0x3164 || r == 0xffa0
}

func valid(fields ...*string) {
	for _, s := range fields {
		*s = strings.ToValidUTF8(*s, "\ufffd")
	}
}
