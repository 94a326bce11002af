package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// passOver runs the detector over a file and returns the findings as reports show them.
func passOver(t testing.TB, f *gavel.File) []gavel.Finding {
	t.Helper()
	res := Run([]Detector{secretDetector()}, f, nil, false)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	return res.Findings
}

// TestTenShapes are the shapes that a widely used reviewer lets through.
func TestTenShapes(t *testing.T) {
	t.Parallel()
	r := newRand(9)
	sample := func(id string) string { return sampleOf(t, specNamed(t, id), r) }
	shapes := map[string]string{
		"temporary AWS id":      "AWS_ACCESS_KEY_ID=ASIA" + sample("aws-access-key-id")[4:],
		"AWS secret":            `aws_secret_access_key = "` + sample("aws-secret-access-key") + `"`,
		"Slack":                 `token: "xoxb-2` + "48163264128-4096163264128-" + randomText(r, 24) + `"`,
		"Google":                "key: " + sample("google-api-key"),
		"GitHub, fine-grained":  "GITHUB_TOKEN=" + sample("github-fine-grained-token"),
		"npm":                   "//registry.npmjs.org/:_authToken=" + sample("npm-token"),
		"OpenAI, project":       `OPENAI_API_KEY="sk-proj-` + randomText(r, 20) + "_" + randomText(r, 30) + "-" + randomText(r, 22) + "T3BlbkFJ" + randomText(r, 40) + "_" + randomText(r, 20) + `"`,
		"Stripe, test":          `stripe.api_key = "sk_` + "test_51" + randomText(r, 97) + `"`,
		"password in a URL":     `DATABASE_URL=postgres://app:vq8` + `ZkR2m@db.internal:5432/orders`,
		"assigned password":     `db_password = "vq8` + `ZkR2m!"`,
		"token after plusses":   `++ token = "` + sample("github-token") + `"`,
		"test of a private key": newPEM(t),
	}
	for name, text := range shapes {
		for _, path := range []string{"src/settings.py", "vendor/a/b.go", "go.sum", "dist/app.min.js", "config/app.yml"} {
			quiet := strings.HasSuffix(path, ".sum") || strings.Contains(path, ".min.")
			if quiet && (name == "assigned password" || name == "AWS secret") {
				continue // has no structure of its own
			}
			found := passOver(t, added(path, text))
			if len(found) != 1 {
				t.Errorf("%s in %s: %d findings", name, path, len(found))
			}
		}
	}
}

func TestOneFindingForEachValue(t *testing.T) {
	t.Parallel()
	token, other := sampleOf(t, specNamed(t, "github-token"), newRand(1)), sampleOf(t, specNamed(t, "npm-token"), newRand(2))
	tests := []struct {
		text  string
		rules []string
	}{
		{`github_token = "` + token + `"`, []string{"secret/github-token"}},
		{`Authorization: Bearer ` + token, []string{"secret/github-token"}},
		{`https://x-access-token:` + token + `@github.com/a/b`, []string{"secret/github-token"}},
		{`curl -u me:` + token + ` -H "X: ` + other + `"`, []string{"secret/github-token", "secret/npm-token"}},
		{token + " " + token, []string{"secret/github-token", "secret/github-token"}},
	}
	for _, tt := range tests {
		if got := rulesOf(secretsIn("a.sh", tt.text)); !slices.Equal(got, tt.rules) {
			t.Errorf("%s: %v", tt.text, got)
		}
	}
}

func TestOnlyAddedLines(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	f := &gavel.File{Path: "a.go", Hunks: []gavel.Hunk{{Lines: []gavel.Line{
		{Op: gavel.Context, Old: 1, New: 1, Text: token}, {Op: gavel.Remove, Old: 2, Text: token}, {Op: gavel.Add, New: 2, Text: "a := " + token},
	}}}}
	found := passOver(t, f)
	if len(found) != 1 || found[0].Line != 2 || found[0].Column != 6 {
		t.Errorf("%+v", found)
	}
}

func TestShownPrefix(t *testing.T) {
	t.Parallel()
	specs := secretFamilies
	for i := range specs {
		value := sampleOf(t, &specs[i], newRand(uint64(i)))
		line := "x: " + value
		if specs[i].Mode == secretNamed {
			line = specs[i].Keywords[0] + `_token = "` + value + `"`
		}
		for _, f := range passOver(t, added("a.yml", line)) {
			secret := value
			if specs[i].Group > 0 {
				secret = regexp.MustCompile(specs[i].Regex).FindStringSubmatch(value)[specs[i].Group]
			}
			if leaks(&f, secret[min(specs[i].Shown, len(secret)):]) != "" {
				t.Errorf("%s: %s shows %q", specs[i].ID, leaks(&f, secret), f.Snippet)
			}
		}
	}
}

// leaks returns the field of a finding that holds a piece of the secret that is long enough to matter.
func leaks(f *gavel.Finding, secret string) string {
	const piece = 7
	for name, text := range map[string]string{"title": f.Title, "description": f.Description, "suggestion": f.Suggestion, "snippet": f.Snippet, "quote": f.Quote, "fingerprint": f.Fingerprint} {
		for i := 0; i+piece <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+piece]) {
				return name
			}
		}
	}
	return ""
}

// TestNoOutputHoldsAValue plants secrets in random text of all kinds and looks for them in everything that a finding
// says.
func TestNoOutputHoldsAValue(t *testing.T) {
	t.Parallel()
	r := newRand(21)
	specs := secretFamilies
	frames := []string{`%s`, `x = "%s"`, `password: '%s'`, `{"token": "%s"}`, `Bearer %s`, `https://u:%s@h.example.org/`, `--password %s`, `curl -u a:%s h`, `"%s", "%s"`, "\t%s;%s"}
	noise := []string{"secret", "token=", "://", "\"", "'", " ", ":", "api_key", "@", "=", "-----BEGIN", "eyJ", "\\n", "é", "pass", ",", "("}
	count := 0
	for range 1200 {
		spec := &specs[r.IntN(len(specs))]
		value := sampleOf(t, spec, r)
		if spec.Group > 0 || strings.ContainsAny(value, " \"'") {
			value = randomText(r, 24)
		}
		text := strings.ReplaceAll(frames[r.IntN(len(frames))], "%s", value)
		for range r.IntN(4) {
			text = noise[r.IntN(len(noise))] + text + noise[r.IntN(len(noise))]
		}
		for _, f := range passOver(t, added([]string{"a.py", "a.yml", "a.md", "x"}[r.IntN(4)], text)) {
			count++
			if where := leaks(&f, value[min(max(spec.Shown, 0), len(value)):]); where != "" {
				t.Fatalf("%s of %s holds %q in %q: %+v", where, f.Rule, value, text, f)
			}
		}
	}
	if count < 500 {
		t.Errorf("only %d findings", count)
	}
}

// TestLongLines: a line of megabytes is read in windows. What is planted in its midst is found once.
func TestLongLines(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	for name, unit := range map[string]string{
		"letters": "a", "keywords": "pass", "options": " --password", "quotes": `"`, "addresses": "http://", "pairs": `"token":`, "heads": "eyJ", "base32": "S2", "keys": "-----BEGIN RSA PRIVATE KEY-----", "users": "://a:", "curls": "curl ", "kty": "kty ", "near": "Q~",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := 1 << 18
			if name == "letters" {
				size = 20 << 20
			}
			half := strings.Repeat(unit, size/2/len(unit))
			found := secretsIn("a.json", half+" "+token+" "+half)
			n := 0
			for _, f := range found {
				if f.doc.ID == "secret/github-token" {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d of %d findings are the token", n, len(found))
			}
		})
	}
}

// FuzzSecrets wants spans inside their lines, masks that cover the values, and no panic.
func FuzzSecrets(f *testing.F) {
	r := newRand(1)
	specs := secretFamilies
	for i := range specs {
		f.Add("a.yml", "key: "+sampleOf(f, &specs[i], r)+"\n")
	}
	for _, text := range []string{
		"password = \"abc\"", "postgres://a:b@c", "-----BEGIN PRIVATE KEY-----\nMIIE\n", "Authorization: Basic YTpi", "kty d: 'x'", "PuTTY-User-Key-File-2: x\nPrivate-Lines: 1\nabc",
		"curl -u a:", "mysql -p", "&quot;token&quot;:&quot;", "<password>\nx\n</password>", "PASSWORD ''x''", "\\\"secret\\\": \\\"", "a:b@tcp(", "secret=\xff\xfe\x00",
	} {
		f.Add("a.sh", text)
		f.Add("x/test/a.go", text)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		if len(text) > 1<<16 {
			return
		}
		file := added(path, text)
		lines := file.Hunks[0].Lines
		for _, found := range secretsIn(path, text) {
			if err := checkFound(found, lines); err != nil {
				t.Fatalf("%v: %+v", err, found)
			}
		}
		for _, finding := range passOver(t, file) {
			if finding.Line < 1 || finding.Line > len(lines) {
				t.Fatalf("line %d of %d", finding.Line, len(lines))
			}
		}
	})
}

func checkFound(f secretFound, lines []gavel.Line) error {
	switch {
	case f.line < 0 || f.lineEnd < f.line || f.lineEnd >= len(lines):
		return fmt.Errorf("lines %d to %d of %d", f.line, f.lineEnd, len(lines))
	case f.start < 0 || f.end <= f.start || f.end > len(lines[f.line].Text):
		return fmt.Errorf("bytes %d to %d of %d", f.start, f.end, len(lines[f.line].Text))
	case !strings.HasSuffix(f.shown, "***") || !strings.HasPrefix(lines[f.line].Text[f.start:f.end], strings.TrimSuffix(f.shown, "***")):
		return fmt.Errorf("shown %q is no prefix", f.shown)
	case f.severity == gavel.NoSeverity || f.confidence == "" || f.message == "":
		return fmt.Errorf("not complete")
	}
	return nil
}
