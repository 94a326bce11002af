package check

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Recorded with ruff 0.17.6 (ruff check --output-format sarif), bandit 1.9.4 with bandit-sarif-formatter 1.1.1 (bandit -q
// -f sarif -r), semgrep 1.185.0 (semgrep scan --sarif) with rules of our own, and spotbugs 4.9.3 (-sarif -sourcepath
// src/main/java; spotbugs-maven.sarif by spotbugs:spotbugs with spotbugs.sarifOutput).
func TestSARIFOfTools(t *testing.T) {
	t.Parallel()
	testRecorded(t, "sarif", parserOf(t, "sarif"), []recorded{
		{file: "ruff.sarif", exit: 1, root: "/srv/shop", check: "ruff"},
		{file: "ruff-clean.sarif", root: "/srv/shop", check: "ruff"},
		{file: "ruff-syntax.sarif", exit: 1, root: "/srv/shop", check: "ruff"},
		{file: "bandit.sarif", exit: 1, root: "/srv/shop", check: "bandit"},
		{file: "bandit-clean.sarif", root: "/srv/shop", check: "bandit"},
		{file: "bandit-syntax.sarif", root: "/srv/shop", check: "bandit"},
		{file: "bandit-missing.sarif", root: "/srv/shop", check: "bandit"},
		{file: "semgrep.sarif", root: "/srv/shop", check: "semgrep"},
		{file: "semgrep-clean.sarif", root: "/srv/shop", check: "semgrep"},
		{file: "spotbugs.sarif", exit: 1, root: "/srv/desk", check: "spotbugs"},
		{file: "spotbugs-maven.sarif", root: "/srv/desk", check: "spotbugs"},
	})
}

// A file that bandit cannot parse is told beside exit code 0 and an empty list of results.
func TestSARIFOfBanditIsReduced(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"bandit-syntax.sarif", "bandit-missing.sarif"} {
		r, err := parserOf(t, "sarif")(recorded{file: file, root: "/srv/shop", check: "bandit"}.output(t, "sarif"))
		if err != nil || len(r.Findings) != 0 || len(r.Reduced) != 1 {
			t.Errorf("%s: %+v %v", file, r, err)
		}
	}
}

func TestSARIFPlacesOfSpotbugs(t *testing.T) {
	t.Parallel()
	c := recorded{file: "spotbugs.sarif", exit: 1, root: "/srv/desk", check: "spotbugs"}
	r, err := parserOf(t, "sarif")(c.output(t, "sarif"))
	if err != nil || len(r.Findings) == 0 {
		t.Fatal(err, r)
	}
	for _, f := range r.Findings {
		if f.File != "src/main/java/shop/Desk.java" || f.Category != gavel.CategoryBug {
			t.Errorf("%+v", f)
		}
	}
}

// bandit quotes the password that it found, and no finding holds a secret.
func TestSARIFOfBanditKeepsSecrets(t *testing.T) {
	t.Parallel()
	c := recorded{file: "bandit.sarif", exit: 1, root: "/srv/shop", check: "bandit"}
	o := c.output(t, "sarif")
	r, err := parserOf(t, "sarif")(o)
	text, _ := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(o.Report), "hunter2") {
		t.Errorf("%v %s", err, text)
	}
}

func TestRuffCategory(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]gavel.Category{
		"F401": gavel.CategoryBug, "S602": gavel.CategorySecurity, "S101": gavel.CategorySecurity, "SIM102": gavel.CategoryStyle,
		"E501": gavel.CategoryStyle, "E902": gavel.CategoryBuild, "invalid-syntax": gavel.CategoryBuild, "PERF401": gavel.CategoryPerformance,
		"S": gavel.CategoryBug, "": gavel.CategoryBug, "RUF013": gavel.CategoryBug,
	} {
		if got := ruffCategory(id); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}
