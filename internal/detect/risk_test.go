package detect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestRiskPacks(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func() *riskPack{
		"go": riskGo, "python": riskPython, "javascript": riskScript, "java": riskJava, "ruby": riskRuby, "rust": riskRust, "shell": riskShell, "docker": riskDocker,
		"sql": riskSQL, "terraform": riskTerraform, "kubernetes": riskKubernetes, "workflow": riskWorkflow, "node": riskNodePackage, "pip": riskRequirements, "cargo": riskCargo,
	} {
		k := pack()
		if k.words == nil || len(k.checks) == 0 && k.line == nil {
			t.Errorf("%s: nothing to look for", name)
		}
		for word, checks := range k.checks {
			if word == "" || len(checks) == 0 {
				t.Errorf("%s: no check at %q", name, word)
			}
		}
	}
}

// TestRiskRulesAreFound reads the archives: every rule must have a true case.
func TestRiskRulesAreFound(t *testing.T) {
	t.Parallel()
	found, _ := archiveRules(t)
	for _, r := range risk.Rules {
		if !found[r.ID] {
			t.Errorf("no archive finds %s", r.ID)
		}
	}
}

func TestNestedRepeat(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		`(a+)+`: true, `(x+x+)+y`: true, `(\w+\s?)*`: true, `([a-z]*)*`: true, `(a|b*)+`: true, `(?:\d+)+$`: true, `(a+){2,}`: true,
		`a+`: false, `(a+)`: false, `(\s\w+)*`: false, `(a+){2}`: false, `(\d{4})-(\d\d)+`: false, `[(+)]+`: false, `\(a+\)+`: false, `(`: false, `)`: false, ``: false, `\`: false, `[`: false,
		`(a+b)+`: false, `(,\w*)*`: false,
	} {
		if got := nestedRepeat(pattern); got != want {
			t.Errorf("nestedRepeat(%q) = %v, want %v", pattern, got, want)
		}
	}
}

func TestOneEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"expres", "express", true}, {"exprses", "express", true}, {"xpress", "express", true}, {"exprass", "express", true},
		{"express", "express", false}, {"exp", "express", false}, {"ab", "ba", true}, {"", "", false}, {"abcd", "acbe", false},
	} {
		if got := oneEdit(c.a, c.b); got != c.want {
			t.Errorf("oneEdit(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestSQLStatement(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SELECT a FROM b": true, "  delete from b where c = ": true, "UPDATE a SET b = ": true, "insert into a values (": true,
		"Select a file from the list": true, "update failed: ": false, "delete %s": false, "": false, "SELECT": false,
	} {
		if got := sqlStatement(text); got != want {
			t.Errorf("sqlStatement(%q) = %v", text, got)
		}
	}
}

func FuzzRisk(f *testing.F) {
	for _, ext := range []string{"go", "py", "js", "java", "rb", "rs", "sh", "sql", "tf", "yaml"} {
		f.Add(ext, "exec.Command(a, r.FormValue(\"x\"))\nx = f\"SELECT a FROM {b}\"\neval(req.query.x)\n")
		f.Add(ext, "((((((func(a []byte { x := [ make([]byte, 4")
	}
	f.Fuzz(func(t *testing.T, ext, text string) {
		if len(ext) > 8 || strings.ContainsAny(ext, "/\x00") {
			return
		}
		file := &gavel.File{Path: "a." + ext, Status: gavel.Added, Hunks: diffHunks("", text), Size: int64(len(text))}
		res := Run([]Detector{risk}, file, func() (string, error) { return text, nil }, false)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
	})
}

func BenchmarkRisk(b *testing.B) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "\tresult%d := compute(input, %d) // adds up the values of the row\n", i, i)
	}
	file := &gavel.File{Path: "a.go", Status: gavel.Added, Hunks: diffHunks("", text.String())}
	for b.Loop() {
		Run([]Detector{risk}, file, nil, false)
	}
}
