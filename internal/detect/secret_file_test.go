package detect

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

const ownRule = `title = "ours"
[extend]
useDefault = true
[[rules]]
id = "acme-token"
description = "Acme token"
regex = '''acme_([0-9a-f]{16})'''
secretGroup = 1
entropy = 2
keywords = ["ACME_"]
[[rules.allowlists]]
regexes = ['''^0000''']
paths = ['''(^|/)fixtures/''']
stopwords = ["beef"]
[rules.gavel]
severity = "critical"
`

func ownRules(t testing.TB, text string) *SecretRules {
	t.Helper()
	rules, err := ReadSecretRules(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func findOwn(rules *SecretRules, path, text string) []gavel.Finding {
	return Run(WithSecretRules([]Detector{secretDetector()}, rules), added(path, text), nil, true).Findings
}

func TestOwnRules(t *testing.T) {
	t.Parallel()
	rules := ownRules(t, ownRule)
	tests := []struct {
		path, text string
		want       int
	}{
		{"a.go", `x := "acme_0123456789abcdef12"`, 0}, // longer than the shape
		{"a.go", `x := "acme_91c3a5b7d2e4f608"`, 1},
		{"a.go", `x := "ACME_91c3a5b7d2e4f608"`, 0}, // the keyword is there, the pattern minds the case
		{"fixtures/a.go", `x := "acme_91c3a5b7d2e4f608"`, 0},
		{"a.go", `x := "acme_0000a5b7d2e4f608"`, 0},
		{"a.go", `x := "acme_91c3beefd2e4f608"`, 0},
		{"a.go", `x := "acme_aaaaaaaaaaaaaaaa"`, 0}, // no entropy
	}
	for _, tt := range tests {
		found := findOwn(rules, tt.path, tt.text)
		if len(found) != tt.want {
			t.Errorf("%s: %s: %+v", tt.path, tt.text, found)
			continue
		}
		if tt.want == 1 && (found[0].Rule != "secret/acme-token" || found[0].Severity != gavel.Critical || strings.Contains(found[0].Snippet, "91c3a5b7")) {
			t.Errorf("%+v", found[0])
		}
	}
}

// TestOwnRulesTakeNothingAway: a rule that matches what a built-in one matches changes neither its id nor its severity.
func TestOwnRulesTakeNothingAway(t *testing.T) {
	t.Parallel()
	rules := ownRules(t, "[[rules]]\nid = \"mine\"\ndescription = \"d\"\nregex = '''.*'''\nkeywords = [\"ghp_\", \"pass\", \"begin\"]\n[rules.gavel]\nseverity = \"info\"\nshown = 32\n")
	for i := range secretFamilies {
		value := sampleOf(t, &secretFamilies[i], newRand(uint64(i)))
		text := "ghp_ " + surroundings(&secretFamilies[i], value)[0]
		without, with := passOver(t, added("a.yml", text)), findOwn(rules, "a.yml", text)
		for _, w := range without {
			kept := false
			for _, f := range with {
				kept = kept || f.Rule == w.Rule && f.Severity == w.Severity && f.Line == w.Line
			}
			if !kept {
				t.Errorf("%s: %s of %s is gone: %+v", text, w.Rule, w.Severity, with)
			}
		}
	}
}

// TestOwnRuleGroup: without secretGroup the first group that took part is the value.
func TestOwnRuleGroup(t *testing.T) {
	t.Parallel()
	rules := ownRules(t, "[[rules]]\nid = \"pair\"\ndescription = \"d\"\nregex = '''zork=(?:x(\\d+)|y([a-z0-9]+))'''\nkeywords = [\"zork\"]\n")
	found := findOwn(rules, "a.txt", "zork=yq7w2k9")
	if len(found) != 1 || found[0].Column != 7 || strings.Contains(found[0].Snippet, "q7w2k9") {
		t.Errorf("%+v", found)
	}
}

func TestRuleFileErrors(t *testing.T) {
	t.Parallel()
	rule := func(lines string) string { return "\n[[rules]]\nid = \"a\"\ndescription = \"d\"\n" + lines }
	tests := map[string]struct{ text, want string }{
		"unknown key":      {rule("regex = 'a'\nkeywords = ['abc']\nsecretgroup_ = 1\n"), `line 7: unknown key "rules.secretgroup_"`},
		"unknown table":    {"[allowlist]\npaths = ['a']\n", `line 1: unknown key "allowlist`},
		"syntax":           {"\n\n[[rules]\n", "line 3: "},
		"type":             {rule("regex = 1\n"), "line 5: "},
		"bad id":           {"[[rules]]\nid = \"A b\"\n", `line 1: rule "A b": id:`},
		"no description":   {"[[rules]]\nid = \"a\"\n", "description:"},
		"no regex":         {rule("keywords = ['abc']\n"), "line 2: rule \"a\": regex: it is missing"},
		"bad regex":        {rule("regex = '('\nkeywords = ['abc']\n"), "regex: error parsing"},
		"look-ahead":       {rule("regex = '(?=a)'\nkeywords = ['abc']\n"), "regex: "},
		"long regex":       {rule("regex = '" + strings.Repeat("a", maxRegex+1) + "'\nkeywords = ['abc']\n"), "bytes: at most"},
		"large regex":      {rule("regex = '(?:[a-z]{1,100}[0-9]{1,100}){1,9}(?:[a-f]{999}){9}'\nkeywords = ['abc']\n"), "regex: "},
		"no group":         {rule("regex = 'a'\nkeywords = ['abc']\nsecretGroup = 1\n"), "no group 1"},
		"no keywords":      {rule("regex = 'a'\n"), "keywords: at least one"},
		"short keyword":    {rule("regex = 'a'\nkeywords = ['ab']\n"), "keywords: \"ab\""},
		"entropy":          {rule("regex = 'a'\nkeywords = ['abc']\nentropy = 9.0\n"), "entropy:"},
		"entropy nan":      {rule("regex = 'a'\nkeywords = ['abc']\nentropy = nan\n"), "entropy:"},
		"bad path":         {rule("regex = 'a'\nkeywords = ['abc']\npath = '('\n"), "path:"},
		"bad allow":        {rule("regex = 'a'\nkeywords = ['abc']\n[[rules.allowlists]]\nregexes = ['(']\n"), "allowlists.regexes:"},
		"empty stop word":  {rule("regex = 'a'\nkeywords = ['abc']\n[[rules.allowlists]]\nstopwords = ['']\n"), "stopwords:"},
		"many allows":      {rule("regex = 'a'\nkeywords = ['abc']\n[[rules.allowlists]]\nstopwords = [" + strings.Repeat("'x',", maxAllowed+1) + "]\n"), "allowlists: more than"},
		"mode":             {rule("regex = 'a'\nkeywords = ['abc']\n[rules.gavel]\nmode = 'seed'\n"), "gavel.mode:"},
		"check":            {rule("regex = 'a'\nkeywords = ['abc']\n[rules.gavel]\ncheck = 'x'\n"), "gavel.check:"},
		"severity":         {rule("regex = 'a'\nkeywords = ['abc']\n[rules.gavel]\nseverity = 'grave'\n"), "line 8"},
		"taken by gavel":   {"[[rules]]\nid = \"github-token\"\ndescription = \"d\"\nregex = 'a'\nkeywords = ['abc']\n", "the id is taken"},
		"taken twice":      {rule("regex = 'a'\nkeywords = ['abc']\n") + rule("regex = 'a'\nkeywords = ['abc']\n"), "line 8: rule \"a\": the id is taken"},
		"without defaults": {"[extend]\nuseDefault = false\n", "cannot be turned off"},
		"empty":            {"", "no [[rules]]"},
		"many rules":       {strings.Repeat("[[rules]]\n", maxRules+1), "at most"},
		"large":            {strings.Repeat("#", maxRuleFile+1), "larger than"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := ReadSecretRules(strings.NewReader(tt.text))
			if err == nil || rules != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestOwnRulesAreBounded runs the widest patterns that are taken over a long line of keywords.
func TestOwnRulesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 4 {
		fmt.Fprintf(&b, "[[rules]]\nid = \"r%d\"\ndescription = \"d\"\nregex = '''(?:[a-z]{1,20}[0-9]?){1,40}Q%d'''\nkeywords = [\"abc\"]\n[rules.gavel]\nreach = 512\n", i, i)
	}
	found := findOwn(ownRules(t, b.String()), "a.txt", strings.Repeat("abcd", 1<<10))
	if len(found) != 0 {
		t.Errorf("%d findings", len(found))
	}
}

func TestSecretRulesDigest(t *testing.T) {
	t.Parallel()
	a, b := ownRules(t, ownRule), ownRules(t, ownRule+"\n")
	if a.Digest == b.Digest || !strings.HasPrefix(a.Digest, "sha256:") || len(a.Rules) != 1 || a.Rules[0].Validate() != nil {
		t.Errorf("%+v %+v: %v", a, b, a.Rules[0].Validate())
	}
	dets := []Detector{secretDetector()}
	if got := WithSecretRules(dets, nil); len(got) != 1 || len(got[0].Rules) != len(dets[0].Rules) {
		t.Error("no rules changed something")
	}
}

// FuzzRuleFile wants an answer for any file, and a rule that was taken to run over any text.
func FuzzRuleFile(f *testing.F) {
	f.Add(ownRule, "acme_91c3a5b7d2e4f608")
	if data, err := os.ReadFile("secret_rules.toml"); err == nil {
		f.Add(string(data[:8000]), "ghp_")
	}
	f.Add("[[rules]]\nid='a'\ndescription='d'\nregex='''(a*)*|b'''\nkeywords=['aaa']\n", "aaaa")
	f.Add("[[rules]]\nid='a'\ndescription='d'\nregex='''()'''\nkeywords=['aaa']\nentropy=inf\n", "aaaa")
	f.Fuzz(func(t *testing.T, file, text string) {
		if len(file) > 1<<14 || len(text) > 1<<10 {
			return
		}
		rules, err := ReadSecretRules(strings.NewReader(file))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, found := range findOwn(rules, "a.yml", text) {
			if found.Line < 1 {
				t.Errorf("%+v", found)
			}
		}
	})
}
