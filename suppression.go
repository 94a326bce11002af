package gavel

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// SuppressionMarker is the word that begins a suppression comment:
//
//	gavel:ignore RULE[,RULE] until YYYY-MM-DD -- reason
const SuppressionMarker = "gavel:ignore"

// MaxSuppressionDays is how far ahead a suppression may reach. Suppression always expires.
const MaxSuppressionDays = 365

// Suppression is one comment that asks for findings on its line or the next to be settled.
type Suppression struct {
	Commit string // as [Finding.Commit]: it says nothing of what stands there in another commit
	File   string
	Line   int
	Rules  []string
	Until  time.Time // the last day on which it holds, as midnight UTC
	Reason string
	// Trusted is true when the same comment over the same line stands on the trusted base. Anything else was brought
	// in by the change or by an earlier commit on its branch.
	Trusted bool
}

const suppressionForm = SuppressionMarker + " RULE[,RULE] until YYYY-MM-DD -- why"

// ParseSuppression reads the marker out of one line of comment text; what follows a line feed is not looked at. found
// tells whether there is a marker at all; with found true and an error, the marker is not honoured and the error says
// why. The suppression then is the zero value.
func ParseSuppression(comment string, now time.Time) (s Suppression, found bool, err error) {
	rest, found := afterMarker(comment)
	if !found {
		return Suppression{}, false, nil
	}
	rules, rest := cutWord(rest)
	until, rest := cutWord(rest)
	date, rest := cutWord(rest)
	dash, rest := cutWord(rest)
	if until != "until" || dash != "--" {
		return Suppression{}, true, fmt.Errorf("want %q", suppressionForm)
	}
	if s.Reason, err = parseReason(rest); err != nil {
		return Suppression{}, true, err
	}
	if s.Rules, err = parseRules(rules); err != nil {
		return Suppression{}, true, err
	}
	if s.Until, err = parseUntil(date, now); err != nil {
		return Suppression{}, true, err
	}
	return s, true, nil
}

// afterMarker returns the rest of the line behind the first marker that stands as a word. A quoted mention and a longer
// word are none; a marker that punctuation follows is one, so that the mistake is said.
func afterMarker(comment string) (rest string, found bool) {
	line, _, _ := strings.Cut(comment, "\n")
	for {
		before, after, ok := strings.Cut(line, SuppressionMarker)
		if !ok {
			return "", false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !wordRune(last) && (after == "" || unicode.IsSpace(next) || strings.ContainsRune(":([", next)) {
			return after, true
		}
		line = after
	}
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func parseReason(rest string) (string, error) {
	reason := trimCommentEnd(rest)
	switch {
	case strings.Contains(reason, SuppressionMarker):
		return "", fmt.Errorf("more than one marker on the line: name the rules in one, with commas")
	case !strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return "", fmt.Errorf("no reason: write %q", suppressionForm)
	}
	return reason, nil
}

func parseRules(list string) ([]string, error) {
	rules := strings.Split(list, ",")
	for _, rule := range rules {
		if !ruleID.MatchString(rule) {
			return nil, fmt.Errorf("%q is not a rule id", rule)
		}
	}
	return rules, nil
}

func parseUntil(date string, now time.Time) (time.Time, error) {
	until, err := time.Parse(time.DateOnly, date)
	today := now.UTC().Truncate(24 * time.Hour)
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("%q is not a date: write YYYY-MM-DD", date)
	case until.Before(today):
		return time.Time{}, fmt.Errorf("expired on %s", date)
	case until.After(today.AddDate(0, 0, MaxSuppressionDays)):
		return time.Time{}, fmt.Errorf("%s is more than %d days ahead", date, MaxSuppressionDays)
	}
	return until, nil
}

// commentEnds closes a comment in the languages that close one: C, HTML, Mustache, JSP, ERB, Jinja and Twig, Django,
// Pascal and OCaml, Julia, PowerShell, Haskell, Lisp, Lua, D, Razor, Velocity, Python.
var commentEnds = [...]string{
	"*/", "-->", "}}", "--", "%>", "%}", "#}", "*)", "=#", "#>", "-}", "|#", "]]", "]=]", "+/", "*@", "*#", `"""`, "'''",
}

// trimCommentEnd cuts whatever closes the comment, several times where comments stand in comments.
func trimCommentEnd(reason string) string {
	for {
		before := reason
		reason = strings.TrimSpace(reason)
		for _, end := range commentEnds {
			reason = strings.TrimSuffix(reason, end)
		}
		if reason == before {
			return reason
		}
	}
}

// Covers reports whether the suppression speaks of the finding: same commit and file, its line or the next, one of its rules.
func (s Suppression) Covers(f *Finding, aliases func(rule string) []string) bool {
	if s.Commit != f.Commit || s.File != f.File || (f.Line != s.Line && f.Line != s.Line+1) {
		return false
	}
	for _, rule := range s.Rules {
		if rule == f.Rule {
			return true
		}
		if aliases != nil {
			for _, old := range aliases(f.Rule) {
				if rule == old {
					return true
				}
			}
		}
	}
	return false
}
