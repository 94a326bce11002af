package detect

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var suppression = Detector{Name: "suppression", Rules: []*gavel.Rule{ruleSuppression}, Run: runSuppression}

var ruleSuppression = &gavel.Rule{
	ID:    "hygiene/suppression-added",
	Title: "Change silences a checker instead of satisfying it",
	Text: "`nolint`, `noqa`, `eslint-disable`, `@ts-ignore`, `#[allow]`, `@SuppressWarnings` and their kind hide a problem from every later run. " +
		"The rule fires where an added comment, attribute or annotation holds one. One that silences everything, or a whole file, is medium; one " +
		"that names what it silences is low, in a test info, and reported once a file. A scan of a folder does not report them: nothing was added.",
	Fix:      "Repair what the checker says. Where it is wrong, silence the one rule on the one line and say why.",
	Before:   "result = run(user_input)  # noqa",
	After:    "result = run(quote(user_input))",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

// silencer is one way to silence a checker.
type silencer struct {
	marker string
	tool   string
	// names returns whether what follows the marker names a rule; nil: the marker always silences everything.
	names func(rest string) bool
}

var (
	inComments = []silencer{
		{"nolint", "golangci-lint", after(":")},
		{"NOLINT", "clang-tidy", after("(", "NEXTLINE(", "BEGIN(")},
		{"lint:ignore", "staticcheck", word},
		{"lint:file-ignore", "staticcheck", word},
		{"#nosec", "gosec", ruleCode},
		{"nosec", "bandit", ruleCode},
		{"noqa", "ruff or flake8", after(":")},
		{"pylint: disable", "pylint", after("=", "-next=")},
		{"pylint: skip-file", "pylint", nil},
		{"type: ignore", "mypy", after("[")},
		{"type:ignore", "mypy", after("[")},
		{"pyright: ignore", "pyright", after("[")},
		{"mypy: ignore-errors", "mypy", nil},
		{"eslint-disable", "eslint", eslintRule},
		{"oxlint-disable", "oxlint", eslintRule},
		{"tslint:disable", "tslint", after(":", "-next-line:", "-line:")},
		{"@ts-ignore", "tsc", nil},
		{"@ts-nocheck", "tsc", nil},
		{"@ts-expect-error", "tsc", word},
		{"biome-ignore", "biome", word},
		{"deno-lint-ignore", "deno lint", word},
		{"$FlowFixMe", "flow", after("[")},
		{"NOSONAR", "sonar", after("(")},
		{"noinspection", "the IDE", word},
		{"rubocop:disable", "rubocop", rubocopRule},
		{"rubocop:todo", "rubocop", rubocopRule},
		{"phpcs:ignore", "phpcs", word},
		{"phpcs:disable", "phpcs", word},
		{"phpcs:ignoreFile", "phpcs", nil},
		{"phpstan-ignore", "phpstan", phpstanRule},
		{"psalm-suppress", "psalm", word},
		{"swiftlint:disable", "swiftlint", swiftRule},
		{"shellcheck disable", "shellcheck", after("=")},
		{"hadolint ignore", "hadolint", after("=")},
		{"checkov:skip", "checkov", after("=")},
		{"tfsec:ignore", "tfsec", after(":")},
		{"trivy:ignore", "trivy", after(":")},
		{"nosemgrep", "semgrep", after(":")},
		{"gitleaks:allow", "gitleaks", nil},
		{"pragma: allowlist secret", "detect-secrets", nil},
		{"credo:disable", "credo", after("-for-this-file ", "-for-next-line ")},
		{"ktlint-disable", "ktlint", word},
		{"gavel:ignore", "gavel", word},
	}
	inCode = []silencer{
		{"#[allow(", "rustc or clippy", allowRule},
		{"#![allow(", "rustc or clippy", allowRule},
		{"@SuppressWarnings", "javac", namedWarning},
		{"@Suppress(", "kotlinc or detekt", namedWarning},
		{"#pragma warning disable", "the C# compiler", word},
		{"#pragma warning(disable", "MSVC", after(":")},
		{"#pragma GCC diagnostic ignored", "gcc", word},
		{"#pragma clang diagnostic ignored", "clang", word},
		{"[SuppressMessage(", ".NET analyzers", word},
		{"@phan-suppress", "phan", word},
	}
)

// after makes a test for a rule's name right behind one of the openers.
func after(openers ...string) func(string) bool {
	return func(rest string) bool {
		for _, o := range openers {
			if r, ok := strings.CutPrefix(rest, o); ok {
				r = strings.TrimLeft(r, " ")
				return r != "" && wordByte(r[0]) && !everything(r)
			}
		}
		return false
	}
}

func everything(rest string) bool {
	w := firstWord(rest)
	return w == "all" || w == "ALL" || w == "All"
}

func firstWord(s string) string {
	s = strings.TrimLeft(s, " \t:,")
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] == '-' || s[i] == '/' || s[i] == '@' || s[i] == '.') {
		i++
	}
	return s[:i]
}

func word(rest string) bool {
	w := firstWord(strings.TrimLeft(rest, " \t\"(["))
	return w != "" && w != "--" && !everything(rest)
}

// ruleCode wants a code of letters and digits: G101, B602.
func ruleCode(rest string) bool {
	w := firstWord(rest)
	return len(w) > 1 && w[0] >= 'A' && w[0] <= 'Z' && w[1] >= '0' && w[1] <= '9'
}

// eslintRule wants a rule behind "-line", "-next-line" or nothing; a reason behind "--" is none.
func eslintRule(rest string) bool {
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "-next-line"), "-line")
	rest, _, _ = strings.Cut(rest, "--")
	return rest != "" && firstWord(rest) != "" && firstWord(rest) != "*/"
}

func rubocopRule(rest string) bool { return firstWord(rest) != "" && !everything(rest) }

// phpstanRule: only the bare marker takes an identifier, the older ones for lines silence everything.
func phpstanRule(rest string) bool { return strings.HasPrefix(rest, " ") && word(rest) }

func swiftRule(rest string) bool {
	for _, scope := range []string{":next", ":this", ":previous"} {
		rest = strings.TrimPrefix(rest, scope)
	}
	return firstWord(rest) != "" && !everything(rest)
}

// allowRule: whole groups are everything.
func allowRule(rest string) bool {
	return !strings.HasPrefix(rest, "warnings") && !strings.HasPrefix(rest, "clippy::all") && !strings.HasPrefix(rest, "unused)")
}

func namedWarning(rest string) bool { return !strings.Contains(strings.ToLower(rest), `"all"`) }

// silenceHints are pieces of which each marker holds one, so that most lines are seen to hold none at once.
var silenceHints = sync.OnceValue(func() *needles {
	return newNeedles("ignore", "disable", "nolint", "NOLINT", "noqa", "nosec", "NOSONAR", "uppress", "allow", "@ts-", "noinspection", "nosem",
		"skip", "FlowFixMe", "rubocop")
})

func runSuppression(p *Pass) {
	if p.Whole || !p.Lang.Program && p.Lang.Name != "yaml" && p.Lang.Name != "hcl" && p.Lang.Name != "dockerfile" {
		return
	}
	hints := silenceHints()
	var old map[string]int // how often the removed lines hold each marker
	seen := make(map[string]bool)
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if !hints.in(l.Text) {
			return
		}
		m, ok := p.marker(l)
		if !ok {
			return
		}
		if old == nil {
			old = p.oldMarkers(hints)
		}
		if old[m.key] > 0 { // the line was edited, its marker stood there before
			old[m.key]--
			return
		}
		if m.specific && seen[m.key] {
			return
		}
		seen[m.key] = true
		p.silenced(l, m)
	})
}

// marker is one place that silences a checker.
type marker struct {
	*silencer
	at       int
	specific bool   // it names a rule
	key      string // the marker with the rule's name
}

// markers calls yield for every marker in the line, comments first, until it returns true.
func markers(line string, yield func(m marker, comment bool) bool) {
	for k, list := range [][]silencer{inComments, inCode} {
		for i := range list {
			s := &list[i]
			at := strings.Index(line, s.marker)
			if at < 0 {
				continue
			}
			rest := strings.TrimRight(line[at+len(s.marker):], " \t\r")
			m := marker{s, at, s.names != nil && s.names(rest), s.marker + firstWord(strings.TrimLeft(rest, " :=[(\""))}
			if yield(m, k == 0) {
				return
			}
		}
	}
}

// marker returns the first marker of a line on the new side that does silence.
func (p *Pass) marker(l *gavel.Line) (found marker, ok bool) {
	markers(l.Text, func(m marker, comment bool) bool {
		kind := p.kindAt(l.New, m.at)
		if comment {
			ok = kind == code.Comment && leads(l.Text, m.at)
		} else {
			ok = kind != code.Comment && kind != code.String
		}
		found = m
		return ok
	})
	return found, ok
}

func (p *Pass) oldMarkers(hints *needles) map[string]int {
	old := make(map[string]int)
	p.Lines(gavel.Remove, func(l *gavel.Line) {
		if hints.in(l.Text) {
			markers(l.Text, func(m marker, comment bool) bool {
				old[m.key]++
				return true
			})
		}
	})
	return old
}

func (p *Pass) silenced(l *gavel.Line, m marker) {
	message := fmt.Sprintf("The comment or attribute switches off everything that %s would say here.", m.tool)
	if m.specific {
		message = fmt.Sprintf("The comment or attribute switches off a rule of %s here.", m.tool)
	}
	f := p.Report(ruleSuppression, place(l, m.at, len(m.marker)), message)
	switch {
	case p.Test && (m.specific || m.marker == "@ts-expect-error"): // which tests of types are made of
		f.Severity = gavel.Info
	case m.specific:
		f.Severity = gavel.Low
	}
}

// leads reports whether the marker begins its comment: in front of it stand the comment's opener, blanks, or another
// marker that ends in a separator. A marker in the middle of a sentence speaks about silencing and does not silence.
func leads(line string, at int) bool {
	before := strings.TrimRight(line[:at], " \t")
	if before == "" {
		return false // inside a block comment, on a line of its own without an opener: prose
	}
	switch before[len(before)-1] {
	case '/', '#', '*', '-', ';', '%', '@', '!', ',', '{', '(':
		return true
	}
	return false
}
