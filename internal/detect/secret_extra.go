package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/gavel-review/gavel"
)

// SecretRules are rules of the user's own, beside the built-in ones. They add findings and never take one away.
type SecretRules struct {
	Digest string        // "sha256:" + hex of the file
	Rules  []*gavel.Rule // their documentation, sorted by id
	specs  []secretSpec
	engine func() *secretEngine
}

// ReadSecretRules reads a file of secret rules: a subset of the common TOML format with id, description, regex,
// secretGroup, entropy, keywords, path and allowlists{regexes, paths, stopwords}, and severity, shown, mode and the
// other keys of the built-in file under [rules.gavel]. An unknown key, a bad pattern or a rule without a keyword is an
// error that names the line. A pattern is matched against single lines. A rule's id becomes secret/<id> and must not be
// a built-in one.
func ReadSecretRules(r io.Reader) (*SecretRules, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRuleFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxRuleFile {
		return nil, fmt.Errorf("larger than %d bytes", maxRuleFile)
	}
	specs, err := readSecretFile(data, false)
	if err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("it holds no [[rules]]")
	}
	sum := sha256.Sum256(data)
	rules := &SecretRules{Digest: "sha256:" + hex.EncodeToString(sum[:]), specs: specs}
	seen := make(map[string]bool)
	docs := make([]*gavel.Rule, len(specs))
	for i := range specs {
		specs[i].extra = true
		docs[i] = specs[i].rule()
		if Rule(docs[i].ID) != nil || seen[docs[i].ID] {
			return nil, fmt.Errorf("line %d: rule %q: the id is taken", ruleLine(data, i), specs[i].ID)
		}
		seen[docs[i].ID] = true
	}
	rules.engine = sync.OnceValue(func() *secretEngine { return newSecretEngine(specs, docs) })
	rules.Rules = slices.Clone(docs)
	slices.SortFunc(rules.Rules, func(a, b *gavel.Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return rules, nil
}

// WithSecretRules returns the detectors with the user's rules beside the built-in ones; nil changes nothing.
func WithSecretRules(dets []Detector, rules *SecretRules) []Detector {
	if rules == nil {
		return dets
	}
	out := slices.Clone(dets)
	for i := range out {
		if out[i].Name == "secret" {
			out[i].Rules = slices.Concat(out[i].Rules, rules.Rules)
			out[i].Run = func(p *Pass) { runSecretWith(p, rules.engine) }
		}
	}
	return out
}
