package gavel_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gavel-review/gavel"
)

var today = time.Date(2026, 3, 10, 23, 59, 0, 0, time.UTC)

func TestParseSuppression(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, comment string
		rules, reason string // rules joined by blanks
		until         string
	}{
		{"slashes", "// gavel:ignore risk/exec until 2026-04-01 -- argv is constant", "risk/exec", "argv is constant", "2026-04-01"},
		{"no blank before", "//gavel:ignore risk/exec until 2026-04-01 -- r", "risk/exec", "r", "2026-04-01"},
		{"SQL and Lua", "--gavel:ignore risk/exec until 2026-04-01 -- r", "risk/exec", "r", "2026-04-01"},
		{"shell", "# gavel:ignore a/b,c/d-e,check/eslint/no-eval until 2026-04-01 -- r", "a/b c/d-e check/eslint/no-eval", "r", "2026-04-01"},
		{"words before", "TODO(ada): gavel:ignore a/b until 2026-04-01 -- r", "a/b", "r", "2026-04-01"},
		{"block comment", "/* gavel:ignore a/b until 2026-04-01 -- r */", "a/b", "r", "2026-04-01"},
		{"HTML", "<!-- gavel:ignore a/b until 2026-04-01 -- see #12 -->", "a/b", "see #12", "2026-04-01"},
		{"Mustache", "{{!-- gavel:ignore a/b until 2026-04-01 -- r --}}", "a/b", "r", "2026-04-01"},
		{"ERB", "<%# gavel:ignore a/b until 2026-04-01 -- r %>", "a/b", "r", "2026-04-01"},
		{"JSP", "<%-- gavel:ignore a/b until 2026-04-01 -- r --%>", "a/b", "r", "2026-04-01"},
		{"Jinja", "{# gavel:ignore a/b until 2026-04-01 -- r #}", "a/b", "r", "2026-04-01"},
		{"OCaml", "(* gavel:ignore a/b until 2026-04-01 -- r *)", "a/b", "r", "2026-04-01"},
		{"Pascal", "{ gavel:ignore a/b until 2026-04-01 -- r }}", "a/b", "r", "2026-04-01"},
		{"Julia", "#= gavel:ignore a/b until 2026-04-01 -- r =#", "a/b", "r", "2026-04-01"},
		{"PowerShell", "<# gavel:ignore a/b until 2026-04-01 -- r #>", "a/b", "r", "2026-04-01"},
		{"Haskell", "{- gavel:ignore a/b until 2026-04-01 -- r -}", "a/b", "r", "2026-04-01"},
		{"Racket", "#| gavel:ignore a/b until 2026-04-01 -- r |#", "a/b", "r", "2026-04-01"},
		{"Lua block", "--[[ gavel:ignore a/b until 2026-04-01 -- r --]]", "a/b", "r", "2026-04-01"},
		{"Lua long block", "--[=[ gavel:ignore a/b until 2026-04-01 -- r ]=]", "a/b", "r", "2026-04-01"},
		{"docstring", `""" gavel:ignore a/b until 2026-04-01 -- r """`, "a/b", "r", "2026-04-01"},
		{"comment in a comment", "<!-- /* gavel:ignore a/b until 2026-04-01 -- r */ -->", "a/b", "r", "2026-04-01"},
		{"CRLF", "// gavel:ignore a/b until 2026-04-01 -- r\r", "a/b", "r", "2026-04-01"},
		{"CRLF in a block", "/* gavel:ignore a/b until 2026-04-01 -- r */\r\n", "a/b", "r", "2026-04-01"},
		{"only the line counts", "/* gavel:ignore a/b until 2026-04-01 -- r\nmore\n*/", "a/b", "r", "2026-04-01"},
		{"tabs", "//\tgavel:ignore\ta/b\tuntil\t2026-04-01\t--\tr", "a/b", "r", "2026-04-01"},
		{"no-break blanks", "// gavel:ignore\u00a0a/b until\u00a02026-04-01 -- r", "a/b", "r", "2026-04-01"},
		{"unicode reason", "// gavel:ignore a/b until 2026-04-01 -- nur für Tests, 試験", "a/b", "nur für Tests, 試験", "2026-04-01"},
		{"dashes in the reason", "// gavel:ignore a/b until 2026-04-01 -- a -- b --c", "a/b", "a -- b --c", "2026-04-01"},
		{"a longer word first", "// gavel:ignored gavel:ignore a/b until 2026-04-01 -- r", "a/b", "r", "2026-04-01"},
		{"a quoted mention first", "// `gavel:ignore` is meant: gavel:ignore a/b until 2026-04-01 -- r", "a/b", "r", "2026-04-01"},
		{"today", "// gavel:ignore a/b until 2026-03-10 -- r", "a/b", "r", "2026-03-10"},
		{"365 days", "// gavel:ignore a/b until 2027-03-10 -- r", "a/b", "r", "2027-03-10"},
		{"leap day", "// gavel:ignore a/b until 2026-12-31 -- 7", "a/b", "7", "2026-12-31"},
	}
	for _, tt := range tests {
		s, found, err := gavel.ParseSuppression(tt.comment, today)
		if !found || err != nil {
			t.Errorf("%s: found %v, %v", tt.name, found, err)
			continue
		}
		if got := strings.Join(s.Rules, " "); got != tt.rules || s.Reason != tt.reason || s.Until.Format(time.DateOnly) != tt.until {
			t.Errorf("%s: %q until %v because %q", tt.name, got, s.Until, s.Reason)
		}
		if s.Trusted || s.File != "" || s.Line != 0 {
			t.Errorf("%s: says more than the comment: %+v", tt.name, s)
		}
	}
}

func TestParseSuppressionRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, comment, why string }{
		{"nothing", "// gavel:ignore", "want"},
		{"nothing, CRLF", "// gavel:ignore\r", "want"},
		{"no date", "// gavel:ignore a/b -- r", "want"},
		{"no rule", "// gavel:ignore until 2026-04-01 -- r", "want"},
		{"no reason", "// gavel:ignore a/b until 2026-04-01", "want"},
		{"empty reason", "// gavel:ignore a/b until 2026-04-01 --", "no reason"},
		{"blank reason", "// gavel:ignore a/b until 2026-04-01 --  \t", "no reason"},
		{"a reason of dots", "// gavel:ignore a/b until 2026-04-01 -- ...", "no reason"},
		{"the comment's end is no reason", "/* gavel:ignore a/b until 2026-04-01 -- */", "no reason"},
		{"HTML's end is no separator", "<!-- gavel:ignore a/b until 2026-04-01 -->", "want"},
		{"Mustache's end is no separator", "{{!-- gavel:ignore a/b until 2026-04-01 --}}", "want"},
		{"Lua's end is no separator", "--[[ gavel:ignore a/b until 2026-04-01 --]]", "want"},
		{"separator glued", "// gavel:ignore a/b until 2026-04-01 --r", "want"},
		{"long dash", "// gavel:ignore a/b until 2026-04-01 — r", "want"},
		{"colon", "// gavel:ignore: a/b until 2026-04-01 -- r", "want"},
		{"brackets", "// gavel:ignore[a/b] until 2026-04-01 -- r", "not a rule id"},
		{"blank in the list", "// gavel:ignore a/b, c/d until 2026-04-01 -- r", "want"},
		{"empty in the list", "// gavel:ignore a/b,,c/d until 2026-04-01 -- r", "not a rule id"},
		{"trailing comma", "// gavel:ignore a/b, until 2026-04-01 -- r", "not a rule id"},
		{"star", "// gavel:ignore * until 2026-04-01 -- r", "not a rule id"},
		{"whole pack", "// gavel:ignore secret until 2026-04-01 -- r", "not a rule id"},
		{"upper case", "// gavel:ignore A/B until 2026-04-01 -- r", "not a rule id"},
		{"look-alike", "// gavel:ignore ѕecret/key until 2026-04-01 -- r", "not a rule id"},
		{"invalid UTF-8", "// gavel:ignore a/\xff until 2026-04-01 -- r", "not a rule id"},
		{"yesterday", "// gavel:ignore a/b until 2026-03-09 -- r", "expired"},
		{"long ago", "// gavel:ignore a/b until 0000-01-01 -- r", "expired"},
		{"366 days", "// gavel:ignore a/b until 2027-03-11 -- r", "365 days"},
		{"for ever", "// gavel:ignore a/b until 9999-12-31 -- r", "365 days"},
		{"never", "// gavel:ignore a/b until never -- r", "not a date"},
		{"short date", "// gavel:ignore a/b until 2026-4-1 -- r", "not a date"},
		{"other order", "// gavel:ignore a/b until 01.04.2026 -- r", "not a date"},
		{"no such day", "// gavel:ignore a/b until 2026-04-31 -- r", "not a date"},
		{"no leap year", "// gavel:ignore a/b until 2027-02-29 -- r", "not a date"},
		{"with a time", "// gavel:ignore a/b until 2026-04-01T00:00:00Z -- r", "not a date"},
		{"five-digit year", "// gavel:ignore a/b until 12026-04-01 -- r", "not a date"},
		{"two markers", "// gavel:ignore a/b until 2026-04-01 -- r gavel:ignore c/d until 2026-04-01 -- r", "more than one"},
	}
	for _, tt := range tests {
		s, found, err := gavel.ParseSuppression(tt.comment, today)
		if !found || err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: found %v, error %v, want %q", tt.name, found, err, tt.why)
		}
		if !reflect.DeepEqual(s, gavel.Suppression{}) {
			t.Errorf("%s: refused and returned: %+v", tt.name, s)
		}
	}
}

func TestParseSuppressionFindsNone(t *testing.T) {
	t.Parallel()
	for _, comment := range []string{
		"", "// nothing", "// gavel: ignore a/b", "// GAVEL:IGNORE a/b", "// gavel:ignored a/b until 2026-04-01 -- r",
		"// gavel:ignore-next a/b until 2026-04-01 -- r", "// gavel:ignore_all", "// mygavel:ignore a/b until 2026-04-01 -- r",
		"// write `gavel:ignore` in a comment", `// "gavel:ignore" is the word`, "// gavel:ignore, and so on", "// gavel\u200b:ignore a/b",
		"// ünd\ngavel:ignore a/b until 2026-04-01 -- on the next line",
	} {
		if s, found, err := gavel.ParseSuppression(comment, today); found || err != nil || !reflect.DeepEqual(s, gavel.Suppression{}) {
			t.Errorf("%q: found %v, %v, %+v", comment, found, err, s)
		}
	}
}

// The last day is a day of UTC, wherever the clock stands.
func TestSuppressionEndsAtMidnightUTC(t *testing.T) {
	t.Parallel()
	comment := "// gavel:ignore a/b until 2026-03-10 -- r"
	tests := []struct {
		now   time.Time
		holds bool
	}{
		{time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC), true},
		{time.Date(2026, 3, 10, 23, 59, 59, 999, time.UTC), true},
		{time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC), false},
		{time.Date(2026, 3, 11, 5, 0, 0, 0, time.FixedZone("east", 9*3600)), true},
		{time.Date(2026, 3, 10, 20, 0, 0, 0, time.FixedZone("west", -9*3600)), false},
		{time.Date(2025, 3, 10, 0, 0, 0, 0, time.UTC), true},
		{time.Date(2025, 3, 9, 23, 0, 0, 0, time.UTC), false},
	}
	for _, tt := range tests {
		if _, _, err := gavel.ParseSuppression(comment, tt.now); (err == nil) != tt.holds {
			t.Errorf("at %v: %v", tt.now, err)
		}
	}
}

func FuzzParseSuppression(f *testing.F) {
	for _, comment := range []string{
		"// gavel:ignore a/b until 2026-04-01 -- r", "/* gavel:ignore a/b,c/d until 2027-03-10 -- r */ -->", "gavel:ignore", "",
		"<!-- gavel:ignore a/b until 2026-04-01 -->", "gavel:ignoregavel:ignore x", "// gavel:ignore a/b until 2026-04-01 -- \"\"\" '''\r\n",
	} {
		f.Add(comment, int64(0))
	}
	f.Fuzz(func(t *testing.T, comment string, seconds int64) {
		now := today.Add(time.Duration(seconds%(1<<31)) * time.Second)
		s, found, err := gavel.ParseSuppression(comment, now)
		switch {
		case found && !strings.Contains(comment, gavel.SuppressionMarker):
			t.Fatalf("%q: found what is not there", comment)
		case !found || err != nil:
			if !reflect.DeepEqual(s, gavel.Suppression{}) || !found && err != nil {
				t.Fatalf("%q: %+v, %v, %v", comment, s, found, err)
			}
			return
		}
		midnight := now.UTC().Truncate(24 * time.Hour)
		if s.Until.Before(midnight) || s.Until.After(midnight.AddDate(0, 0, gavel.MaxSuppressionDays)) {
			t.Fatalf("%q at %v holds until %v", comment, now, s.Until)
		}
		if !strings.ContainsFunc(s.Reason, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) || s.Reason != strings.TrimSpace(s.Reason) {
			t.Fatalf("%q: the reason %q", comment, s.Reason)
		}
		if len(s.Rules) == 0 || strings.Contains(s.Reason, gavel.SuppressionMarker) || strings.Contains(s.Reason, "\n") {
			t.Fatalf("%q: %+v", comment, s)
		}
		written := gavel.SuppressionMarker + " " + strings.Join(s.Rules, ",") + " until " + s.Until.Format(time.DateOnly) + " -- " + s.Reason
		if again, _, err := gavel.ParseSuppression(written, now); err != nil || !reflect.DeepEqual(s, again) {
			t.Fatalf("%q reads as %+v, written as %q reads as %+v, %v", comment, s, written, again, err)
		}
	})
}

func TestCovers(t *testing.T) {
	t.Parallel()
	s := gavel.Suppression{File: "a.go", Line: 4, Rules: []string{"secret/old-key", "risk/exec"}}
	tests := []struct {
		name    string
		finding gavel.Finding
		aliases func(string) []string
		want    bool
	}{
		{"its line", gavel.Finding{File: "a.go", Line: 4, Rule: "risk/exec"}, nil, true},
		{"the next line", gavel.Finding{File: "a.go", Line: 5, Rule: "risk/exec"}, nil, true},
		{"the line before", gavel.Finding{File: "a.go", Line: 3, Rule: "risk/exec"}, nil, false},
		{"two lines on", gavel.Finding{File: "a.go", Line: 6, Rule: "risk/exec"}, nil, false},
		{"another file", gavel.Finding{File: "b.go", Line: 4, Rule: "risk/exec"}, nil, false},
		{"another rule", gavel.Finding{File: "a.go", Line: 4, Rule: "risk/eval"}, nil, false},
		{"an old name", gavel.Finding{File: "a.go", Line: 4, Rule: "secret/key"}, oldRules, true},
		{"an old name nobody knows", gavel.Finding{File: "a.go", Line: 4, Rule: "secret/key"}, nil, false},
		{"a prefix of the rule", gavel.Finding{File: "a.go", Line: 4, Rule: "risk/exec-shell"}, oldRules, false},
	}
	for _, tt := range tests {
		if got := s.Covers(&tt.finding, tt.aliases); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
