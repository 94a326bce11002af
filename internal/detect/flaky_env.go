package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

var ruleFlakyEnv = &gavel.Rule{
	ID:    "flaky/env-mutation",
	Title: "Test changes the environment of the whole process",
	Text: "What one test sets, tests that run after it or beside it see. In Go the rule fires on `os.Setenv` and `os.Unsetenv` in a test, also " +
		"with a deferred restore: a failing or parallel test leaves the value behind. In Python, JavaScript, TypeScript, Ruby, Java, Kotlin, C#, PHP, Rust " +
		"and Swift it fires where the file puts nothing back: no `monkeypatch`, `patch.dict`, `afterEach` restore, `ensure`, `tearDown` or the like.",
	Fix:      "Use what restores it: `t.Setenv`, `monkeypatch.setenv`, `vi.stubEnv`, `ClimateControl.modify`, or pass the value as an argument.",
	Before:   "os.Setenv(\"MODE\", \"fast\")",
	After:    "t.Setenv(\"MODE\", \"fast\")",
	Severity: gavel.Medium, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

func registerEnv(add func(flakyCheck, string, string)) {
	add(checkEnv, "go", "Setenv Unsetenv Clearenv")
	add(checkEnv, "python", "environ putenv unsetenv")
	add(checkEnv, "javascript", "env")
	add(checkEnv, "ruby", "ENV")
	add(checkEnv, "java kotlin scala groovy", "setProperty")
	add(checkEnv, "c#", "SetEnvironmentVariable")
	add(checkEnv, "php", "putenv")
	add(checkEnv, "rust", "set_var remove_var")
	add(checkEnv, "swift", "setenv unsetenv")
}

func checkEnv(v *flakyView, i int, name string) bool {
	if !v.setsEnv(i, name) {
		return false
	}
	row := v.rowOf(i)
	s := v.scope(row)
	if v.lang == "go" {
		if s.outerIsHook(v) || !s.test && (s.known || !v.src.Partial) || v.setsEnvAbove(row) {
			return false
		}
	} else if !v.inTest(row) || !s.known || s.outerIsHook(v) || v.restoresEnv() {
		return false
	}
	f := v.pass.Report(ruleFlakyEnv, v.span(v.chain(i), i), "The variable keeps this value for every test that runs after this one or beside it.")
	if v.lang != "go" && v.lang != "python" {
		f.Severity = gavel.Low
	}
	return true
}

func (v *flakyView) setsEnv(i int, name string) bool {
	switch v.lang {
	case "go":
		return v.dotted(i, "os", name) && v.sign(i+1, '(')
	case "python":
		if name != "environ" {
			return v.dotted(i, "os", name) && v.sign(i+1, '(')
		}
		if v.sign(i+1, '[') {
			end := v.close(i + 1)
			return end > 0 && v.sign(end+1, '=') && !v.sign(end+2, '=')
		}
		return v.sign(i+1, '.') && oneOf(v.name(i+2), "update", "setdefault", "clear")
	case "javascript":
		if !v.dotted(i, "process", "env") {
			return false
		}
		end := i
		if v.sign(i+1, '.') {
			end = i + 2
		} else if v.sign(i+1, '[') {
			end = v.close(i + 1)
		}
		return end > i && v.sign(end+1, '=') && !v.sign(end+2, '=') && v.rows[v.rowOf(i)].from == i-2
	case "ruby":
		if !v.sign(i+1, '[') {
			return false
		}
		end := v.close(i + 1)
		return end > 0 && v.sign(end+1, '=') && !v.sign(end+2, '=') && !v.sign(end+2, '>') && !v.sign(end+2, '~')
	case "java", "kotlin", "scala", "groovy":
		return v.dotted(i, "System", "setProperty")
	case "c#":
		return v.dotted(i, "Environment", "SetEnvironmentVariable")
	case "rust":
		return v.sign(i+1, '(') && v.name(v.beforeDot(i)) == "env"
	}
	return v.sign(i+1, '(') && v.beforeDot(i) < 0 && !oneOf(v.name(i-1), "func", "function")
}

// setsEnvAbove reports whether the line in front does the same: a value and the restore of it are one finding.
func (v *flakyView) setsEnvAbove(row int) bool {
	if row == 0 || v.rows[row-1].line != v.rows[row].line-1 || !v.hasName(v.rows[row-1].from, v.rows[row-1].to, "Setenv", "Unsetenv") {
		return false
	}
	l := v.pass.line(v.rows[row-1].line)
	return l != nil && l.Op == gavel.Add
}

// outerIsHook reports whether the change stands in code that runs once before all tests.
func (s *flakyScope) outerIsHook(v *flakyView) bool {
	for _, h := range s.calls {
		if v.hasName(h.from, h.to, "beforeAll", "before", "setup_module", "pytest_configure", "setUpModule", "BeforeAll", "TestMain", "globalSetup", "tearDown", "teardown", "after", "afterEach", "afterAll") {
			return true
		}
	}
	return false
}

// restoresEnv reports whether something in the file puts an environment back.
func (v *flakyView) restoresEnv() bool {
	text := v.src.Text
	var words []string
	switch v.lang {
	case "python":
		words = []string{"del os.environ", "environ.pop(", "patch.dict(", "finally:", "addCleanup(", "environ.update(old", "environ.update(orig", "environ.update(saved", "environ = ", "def tearDown", "yield"}
	case "javascript":
		words = []string{"delete process.env", "unstubAllEnvs", "restoreEnv", "process.env = ", "finally", "afterEach(", "afterAll(", "after("}
	case "ruby":
		words = []string{"ClimateControl", "ensure", "after ", "ENV.delete", "around", "teardown", "stub_const"}
	case "java", "kotlin", "scala", "groovy":
		words = []string{"clearProperty", "@AfterEach", "@After", "finally", "RestoreSystemProperties", "setProperties("}
	case "c#":
		words = []string{"finally", "Dispose(", "TearDown", "Cleanup", ", null)"}
	case "php":
		words = []string{"tearDown", "finally"}
	case "rust":
		words = []string{"remove_var", "serial", "impl Drop"}
	case "swift":
		words = []string{"unsetenv", "tearDown", "defer"}
	}
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
