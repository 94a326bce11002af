package detect

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
)

// secretMode says where a family's pattern is tried after a keyword was seen.
type secretMode uint8

const (
	secretAt     secretMode = iota // the match begins with the keyword
	secretAround                   // the match is somewhere near the keyword
	secretSeed                     // no keyword: a run of base32 digits of one length
	secretNamed                    // the match is the whole value that a name with the keyword is given
)

// secretSpec is one token family as data. ID, Title, Regex, Group, Keywords and Entropy mean what id, description,
// regex, secretGroup, keywords and entropy mean in the common TOML rule format, so that a rule file can be read into it.
type secretSpec struct {
	ID       string   // kebab-case, without the pack
	Title    string   // issuer and kind of token
	Regex    string   // RE2 syntax
	Group    int      // the submatch that is the value, 0 = the whole match
	Keywords []string // lower case; every match has one of them, in any case
	Entropy  float64  // least Shannon entropy of the value in bits per character

	Mode     secretMode
	Reach    int            // secretAround: bytes to look at on either side of the keyword, 0 = the usual
	Long     bool           // secretAt: the shortest match may not fit the usual window
	Inside   bool           // secretAround: the keyword follows a character of the token
	Shown    int            // bytes of the value's public prefix that may be shown
	Check    string         // a check of [secretProof]
	Loose    bool           // no structure of its own: lowered in tests and examples
	Severity gavel.Severity // NoSeverity = high
	About    string         // what the holder of the token can do, one sentence
	Env      string         // the environment variable of the example
	Example  string         // the public beginning of a value, for the documentation

	allow *secretAllow // where it does not count; nil = nowhere
	extra bool         // the user's own
}

func (s *secretSpec) severity() gavel.Severity {
	switch {
	case s.Severity != gavel.NoSeverity:
		return s.Severity
	case s.extra:
		return gavel.Medium // nothing is known of its precision
	}
	return gavel.High
}

// value is the submatch that counts: the named group, or of a user's rule without one the first that took part.
func (s *secretSpec) value(m []int) (start, end int) {
	group := s.Group
	if s.extra && group == 0 {
		for i := 2; i+1 < len(m) && group == 0; i += 2 {
			if m[i] >= 0 && m[i+1] > m[i] {
				group = i / 2
			}
		}
	}
	return m[2*group], m[2*group+1]
}

// ruleOfUser is the documentation of a rule from a user's file.
func (s *secretSpec) ruleOfUser() *gavel.Rule {
	return &gavel.Rule{
		ID:     "secret/" + s.ID,
		Title:  s.Title,
		Text:   "It fires on the shape that the user's own rule gives. " + s.About,
		Fix:    "Revoke the value at its issuer, then read a new one from the environment or a secret store.",
		Before: s.ID + " = …", After: s.ID + " = ${VALUE}",
		Severity: s.severity(), Category: gavel.CategorySecret, Confidence: gavel.ConfidenceMedium, CWE: "CWE-798",
	}
}

// rule builds the documentation.
func (s *secretSpec) rule() *gavel.Rule {
	if s.extra {
		return s.ruleOfUser()
	}
	env := s.Env
	if env == "" {
		env = strings.ToUpper(strings.ReplaceAll(s.ID, "-", "_"))
	}
	confidence := gavel.ConfidenceHigh
	how := "It fires on the documented shape of the value"
	if s.Check != "" {
		how += " and checks its inner structure or checksum"
	}
	if s.Loose {
		confidence = gavel.ConfidenceMedium
		how = "The value has no prefix of its own: it fires where a name that speaks of the issuer is given a value of the documented shape"
	}
	return &gavel.Rule{
		ID:       "secret/" + s.ID,
		Title:    s.Title + " in the text",
		Text:     s.About + " " + how + "; placeholders and published examples are left alone.",
		Fix:      "Revoke the value at its issuer, then read a new one from the environment or a secret store. Removing the line does not take it out of the history.",
		Before:   env + "=" + s.Example + "…",
		After:    env + "=${" + env + "}",
		Severity: s.severity(), Category: gavel.CategorySecret, Confidence: confidence, CWE: "CWE-798",
	}
}

// secretFamily is a spec in use: its documentation, and its pattern once a keyword was seen.
type secretFamily struct {
	secretSpec
	doc     *gavel.Rule
	pattern func() *regexp.Regexp
}

func newSecretFamily(spec secretSpec, doc *gavel.Rule) secretFamily {
	expr := spec.Regex
	switch spec.Mode {
	case secretAt:
		expr = `^(?:` + expr + `)`
	case secretNamed:
		expr = `^(?:` + expr + `)$`
	}
	return secretFamily{spec, doc, sync.OnceValue(func() *regexp.Regexp {
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil // the tables' test compiles every pattern; a user's file is checked when it is read
		}
		return re
	})}
}
