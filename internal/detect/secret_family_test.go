package detect

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestFamilies makes values of every family and wants each found, by its own rule, in several surroundings.
func TestFamilies(t *testing.T) {
	t.Parallel()
	specs := secretFamilies
	for i := range specs {
		spec := &specs[i]
		t.Run(spec.ID, func(t *testing.T) {
			t.Parallel()
			r := newRand(uint64(i))
			for range 5 {
				value := sampleOf(t, spec, r)
				for _, line := range surroundings(spec, value) {
					if spec.Mode == secretNamed && strings.HasPrefix(value, "-") && !strings.ContainsAny(line, `"'`) {
						continue
					}
					found := secretsIn("src/settings.yml", line)
					if spec.Mode == secretNamed && spec.severity() < gavel.Medium && (anyRule(found, "secret/assigned-key") || anyRule(found, "secret/assigned-password")) {
						continue // the name says enough for the generic rule
					}
					if !anyRule(found, "secret/"+spec.ID) {
						t.Errorf("not found in %q: %v", line, rulesOf(found))
					}
				}
			}
		})
	}
}

func surroundings(spec *secretSpec, value string) []string {
	if spec.Mode == secretNamed {
		name := strings.ReplaceAll(strings.TrimSpace(spec.Keywords[0]), " ", "_")
		return []string{name + `_token = "` + value + `"`, `"` + name + `Key": "` + value + `",`, strings.ToUpper(name) + "_SECRET=" + value}
	}
	if spec.Mode == secretAround && !holdsKeyword(spec, value) {
		return []string{spec.Keywords[0] + " " + value, spec.Keywords[0] + `: "` + value + `"`}
	}
	lines := []string{"value: " + value, `f("` + value + `")`, "{" + `\"v\": \"` + value + `\"}`, value}
	if spec.Mode == secretAt {
		lines = append(lines, `line\n`+value+`\nnext`)
	}
	return lines
}

func holdsKeyword(spec *secretSpec, value string) bool {
	for _, word := range spec.Keywords {
		if strings.Contains(strings.ToLower(value), word) {
			return true
		}
	}
	return false
}

func anyRule(found []secretFound, id string) bool {
	for _, f := range found {
		if f.doc.ID == id {
			return true
		}
	}
	return false
}

func rulesOf(found []secretFound) []string {
	ids := []string{}
	for _, f := range found {
		ids = append(ids, f.doc.ID)
	}
	return ids
}

// TestFamilyTables checks what a table's author can get wrong.
func TestFamilyTables(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, spec := range secretFamilies {
		if seen[spec.ID] {
			t.Errorf("%s stands twice", spec.ID)
		}
		seen[spec.ID] = true
		re, err := regexp.Compile(spec.Regex)
		if err != nil {
			t.Errorf("%s: %v", spec.ID, err)
			continue
		}
		if spec.Group > re.NumSubexp() {
			t.Errorf("%s: no group %d", spec.ID, spec.Group)
		}
		if len(spec.Keywords) == 0 && spec.Mode != secretSeed {
			t.Errorf("%s: no keyword", spec.ID)
		}
		for _, word := range spec.Keywords {
			if word != strings.ToLower(word) || len(word) < 2 {
				t.Errorf("%s: keyword %q", spec.ID, word)
			}
		}
		if spec.Check != "" && proofNamed(spec.Check) == nil {
			t.Errorf("%s: no check is named %q", spec.ID, spec.Check)
		}
	}
}

// TestSecretRules wants complete documentation that holds no value.
func TestSecretRules(t *testing.T) {
	t.Parallel()
	for _, rule := range secretDetector().Rules {
		if err := rule.Validate(); err != nil {
			t.Error(err)
		}
		if rule.Category != gavel.CategorySecret {
			t.Errorf("%s: category %s", rule.ID, rule.Category)
		}
		if found := secretsIn("a.yml", rule.Before+"\n"+rule.After); len(found) > 0 {
			t.Errorf("%s: its documentation holds a secret: %v", rule.ID, rulesOf(found))
		}
	}
}

// TestTokenEnds wants tokens to be whole words.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	for _, text := range []string{"x" + token, token + "x", "_" + token, token + "_y", strings.ToUpper(token)} {
		if found := secretsIn("a.go", text); len(found) > 0 {
			t.Errorf("%q: %v", text, rulesOf(found))
		}
	}
	for _, text := range []string{"x-" + token, token + ".", "%3D" + token, `\t` + token, "\\u003d" + token, "é" + token} {
		if found := secretsIn("a.go", text); len(found) != 1 {
			t.Errorf("%q: %v", text, rulesOf(found))
		}
	}
}

func specNamed(t testing.TB, id string) *secretSpec {
	t.Helper()
	specs := secretFamilies
	for i := range specs {
		if specs[i].ID == id {
			return &specs[i]
		}
	}
	t.Fatalf("no family is named %q", id)
	return nil
}

func TestTokenPlaceholders(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "XXXXXXXXXXXXXXXX", "AKIA" + strings.Repeat("A", 16),
		"ghp_" + strings.Repeat("x", 36), "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789", "ghp_" + strings.Repeat("1234567890", 4)[:36],
		"sk_live_" + "your_key_here_please", "xoxb-" + "your-token-goes-here", "npm_" + strings.Repeat("0", 36),
		"sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "hvs." + strings.Repeat("*", 24), "github_pat_<token>", "glpat-" + "xxxxxxxxxxxxxxxxxxxx",
	} {
		if found := secretsIn("deploy.yml", "token: "+text); len(found) > 0 {
			t.Errorf("%s: %v", text, rulesOf(found))
		}
	}
}

// TestTokenSeverity: structure keeps its severity in tests, a broken checksum and a shape without structure do not.
func TestTokenSeverity(t *testing.T) {
	t.Parallel()
	whole := sampleOf(t, specNamed(t, "github-token"), newRand(2))
	broken := whole[:len(whole)-1] + string(base62Digits[(strings.IndexByte(base62Digits, whole[len(whole)-1])+1)%62])
	uuid := "heroku_api_key = " + sampleOf(t, specNamed(t, "heroku-uuid-key"), newRand(3))
	tests := []struct {
		path, text string
		want       gavel.Severity
	}{
		{"main.go", whole, gavel.Critical}, {"main_test.go", whole, gavel.Critical}, {"docs/a.md", whole, gavel.Critical},
		{"main.go", broken, gavel.High}, {"main_test.go", broken, gavel.Low},
		{"conf/app.properties", uuid, gavel.Medium}, {"testdata/app.properties", uuid, gavel.Low},
	}
	for _, tt := range tests {
		found := secretsIn(tt.path, tt.text)
		if len(found) != 1 || found[0].severity != tt.want {
			t.Errorf("%s: %q: %+v, want one of %s", tt.path, tt.text, found, tt.want)
		}
	}
}
