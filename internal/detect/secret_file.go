package detect

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel"
)

// secretFile is a file of secret rules: a subset of the common TOML format, read strictly.
type secretFile struct {
	Title  string `toml:"title"`
	Extend struct {
		UseDefault *bool `toml:"useDefault"`
	} `toml:"extend"`
	Rules []secretFileRule `toml:"rules"`
}

// secretFileRule is one rule as the file spells it.
type secretFileRule struct {
	ID          string   `toml:"id"`
	Description string   `toml:"description"`
	Regex       string   `toml:"regex"`
	SecretGroup int      `toml:"secretGroup"`
	Entropy     float64  `toml:"entropy"`
	Keywords    []string `toml:"keywords"`
	Path        string   `toml:"path"`
	Allowlists  []struct {
		Regexes   []string `toml:"regexes"`
		Paths     []string `toml:"paths"`
		StopWords []string `toml:"stopwords"`
	} `toml:"allowlists"`
	Gavel struct {
		Mode     string         `toml:"mode"`
		Reach    int            `toml:"reach"`
		Long     bool           `toml:"long"`
		Inside   bool           `toml:"inside"`
		Shown    int            `toml:"shown"`
		Check    string         `toml:"check"`
		Loose    bool           `toml:"loose"`
		Severity gavel.Severity `toml:"severity"`
		About    string         `toml:"about"`
		Env      string         `toml:"env"`
		Example  string         `toml:"example"`
	} `toml:"gavel"`
}

// The bounds of a file. They keep the time that a hostile rule can cost small: a pattern is only tried on a window
// around a keyword, and costs at most its size times the window's.
const (
	maxRuleFile     = 1 << 20 // bytes
	maxRules        = 1000
	maxRuleKeywords = 4000 // in all
	maxRegex        = 4096 // bytes
	maxProgram      = 8000
	maxAllowed      = 200 // entries of a rule's allow lists
	minKeyword      = 3   // bytes; shorter ones are everywhere
)

// readSecretFile reads rules. Errors name the line.
func readSecretFile(data []byte, own bool) ([]secretSpec, error) {
	var file secretFile
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file)
	var strict *toml.StrictMissingError
	var decode *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		row, _ := strict.Errors[0].Position()
		return nil, fmt.Errorf("line %d: unknown key %q", row, strings.Join(strict.Errors[0].Key(), "."))
	case errors.As(err, &decode):
		row, _ := decode.Position()
		return nil, fmt.Errorf("line %d: %s", row, strings.TrimPrefix(decode.Error(), "toml: "))
	case err != nil:
		return nil, err
	case file.Extend.UseDefault != nil && !*file.Extend.UseDefault:
		return nil, errors.New("extend.useDefault: the built-in rules cannot be turned off here")
	case len(file.Rules) > maxRules:
		return nil, fmt.Errorf("%d rules: at most %d are read", len(file.Rules), maxRules)
	}
	specs := make([]secretSpec, len(file.Rules))
	words := 0
	for i := range file.Rules {
		r := &file.Rules[i]
		words += len(r.Keywords)
		err := r.into(&specs[i], own)
		if err == nil && words > maxRuleKeywords {
			err = fmt.Errorf("more than %d keywords", maxRuleKeywords)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: rule %q: %w", ruleLine(data, i), clip(r.ID), err)
		}
	}
	return specs, nil
}

// ruleLine is the line of the rule with the index, by its header.
func ruleLine(data []byte, index int) int {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if bytes.HasPrefix(bytes.ReplaceAll(line, []byte(" "), nil), []byte("[[rules]]")) {
			if index--; index < 0 {
				return number
			}
		}
	}
	return 1
}

func clip(text string) string { return text[:min(len(text), 80)] }

var secretModes = map[string]secretMode{"": secretAround, "around": secretAround, "at": secretAt, "named": secretNamed, "seed": secretSeed}

// into checks the rule and writes it down. own is true for the built-in file, which may do a little more.
func (r *secretFileRule) into(s *secretSpec, own bool) error {
	mode, known := secretModes[r.Gavel.Mode]
	*s = secretSpec{
		ID: r.ID, Title: r.Description, Regex: r.Regex, Group: r.SecretGroup, Entropy: r.Entropy, Mode: mode,
		Reach: r.Gavel.Reach, Long: r.Gavel.Long, Inside: r.Gavel.Inside, Shown: r.Gavel.Shown, Check: r.Gavel.Check,
		Loose: r.Gavel.Loose, Severity: r.Gavel.Severity, About: r.Gavel.About, Env: r.Gavel.Env, Example: r.Gavel.Example,
	}
	for _, word := range r.Keywords {
		s.Keywords = append(s.Keywords, strings.ToLower(word))
	}
	switch {
	case !ruleID(r.ID):
		return errors.New("id: want small letters, digits and hyphens, at most 80")
	case r.Description == "" || len(r.Description) > 300:
		return errors.New("description: want a sentence of at most 300 bytes")
	case !known || mode == secretSeed && !own:
		return fmt.Errorf("gavel.mode: %q is none of around, at, named", r.Gavel.Mode)
	case r.Gavel.Reach < 0 || r.Gavel.Reach > 512 || r.Gavel.Shown < 0 || r.Gavel.Shown > 32:
		return errors.New("gavel: reach is at most 512, shown at most 32")
	case r.Gavel.Check != "" && proofNamed(r.Gavel.Check) == nil:
		return fmt.Errorf("gavel.check: %q is not known", r.Gavel.Check)
	case !(r.Entropy >= 0 && r.Entropy <= 8):
		return errors.New("entropy: want bits a character, 0 to 8")
	}
	if err := s.checkKeywords(own); err != nil {
		return err
	}
	if err := s.checkRegex(); err != nil {
		return err
	}
	return r.allow(s)
}

func ruleID(id string) bool {
	return id != "" && len(id) <= 80 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && id[0] != '-'
}

func (s *secretSpec) checkKeywords(own bool) error {
	if len(s.Keywords) == 0 && s.Mode != secretSeed {
		return errors.New("keywords: at least one is wanted, or every line would be searched")
	}
	for _, word := range s.Keywords {
		if len(word) > 80 || len(word) < minKeyword && !own || word == "" {
			return fmt.Errorf("keywords: %q has fewer than %d bytes or more than 80", clip(word), minKeyword)
		}
	}
	return nil
}

func (s *secretSpec) checkRegex() error {
	if s.Regex == "" {
		return errors.New("regex: it is missing; rules of paths alone are not read")
	}
	re, err := compileBounded(s.Regex)
	if err != nil {
		return fmt.Errorf("regex: %w", err)
	}
	if s.Group < 0 || s.Group > re.NumSubexp() {
		return fmt.Errorf("secretGroup: the regex has no group %d", s.Group)
	}
	return nil
}

// compileBounded compiles a pattern whose size is small. RE2 patterns have no bad inputs, but a large one is slow on
// any.
func compileBounded(expr string) (*regexp.Regexp, error) {
	if len(expr) > maxRegex {
		return nil, fmt.Errorf("%d bytes: at most %d are read", len(expr), maxRegex)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("it compiles to %d steps: at most %d are taken", len(prog.Inst), maxProgram)
	}
	return regexp.Compile(expr)
}

// allow compiles the rule's path and allow lists.
func (r *secretFileRule) allow(s *secretSpec) error {
	a := &secretAllow{}
	compile := func(key, expr string, into *[]*regexp.Regexp) error {
		re, err := compileBounded(expr)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*into = append(*into, re)
		return nil
	}
	if r.Path != "" {
		if err := compile("path", r.Path, &a.only); err != nil {
			return err
		}
	}
	entries := 0
	for _, list := range r.Allowlists {
		for _, expr := range list.Regexes {
			if err := compile("allowlists.regexes", expr, &a.values); err != nil {
				return err
			}
		}
		for _, expr := range list.Paths {
			if err := compile("allowlists.paths", expr, &a.paths); err != nil {
				return err
			}
		}
		for _, word := range list.StopWords {
			if word == "" {
				return errors.New("allowlists.stopwords: an empty word allows everything")
			}
			a.words = append(a.words, strings.ToLower(word))
		}
		if entries += len(list.Regexes) + len(list.Paths) + len(list.StopWords); entries > maxAllowed {
			return fmt.Errorf("allowlists: more than %d entries", maxAllowed)
		}
	}
	if r.Path != "" || entries > 0 {
		s.allow = a
	}
	return nil
}
