package check

import (
	"strings"
	"testing"
)

// Recorded with ShellCheck 0.11.0 (shellcheck -f checkstyle FILES) and Checkstyle 10.26.1 (-f xml -c /sun_checks.xml).
func TestCheckstyle(t *testing.T) {
	t.Parallel()
	testRecorded(t, "checkstyle", parserOf(t, "checkstyle"), []recorded{
		{file: "shellcheck.xml", exit: 1, root: "/srv/shop", check: "shellcheck"},
		{file: "shellcheck-clean.xml", root: "/srv/shop", check: "shellcheck"},
		{file: "shellcheck-broken.xml", exit: 1, root: "/srv/shop", check: "shellcheck"},
		{file: "shellcheck-missing.xml", exit: 2, root: "/srv/shop", check: "shellcheck", fails: "bin/nope.sh: openBinaryFile: does not exist"},
		{file: "checkstyle.xml", exit: 14, root: "/srv/desk", check: "checkstyle"},
		{file: "shellcheck-clean.xml", exit: 1, root: "/srv/shop", check: "shellcheck", fails: "exited 1"},
	})
}

func TestCheckstyleReport(t *testing.T) {
	t.Parallel()
	doc := func(errors string) string {
		return `<checkstyle version="1"><file name="/srv/A.java">` + errors + `</file></checkstyle>`
	}
	const rule = "com.puppycrawl.tools.checkstyle.checks.imports.AvoidStarImportCheck"
	for _, tt := range []struct{ name, report, want string }{
		{"a class of Checkstyle", doc(`<error line="3" column="17" severity="error" message="m" source="` + rule + `"/>`),
			"high A.java:3:17 imports.avoidstarimport m"},
		{"without a line", doc(`<error severity="warning" message="m" source="standard:no-unused"/>`), "medium A.java:0:0 standard-no-unused m"},
		{"ignored", doc(`<error line="3" severity="ignore" message="m" source="x"/>`), ""},
		{"no file", "<?xml version=\"1.0\"?>\n<checkstyle/>", ""},
		{"Latin-1", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + doc("<error line=\"1\" severity=\"info\" message=\"\xfc\" source=\"x\"/>"),
			"low A.java:1:0 x ü"},
		{"a control character", doc("<error line=\"1\" severity=\"info\" message=\"\x1b[31mred\x1b[0m \x01\" source=\"x\"/>"),
			"low A.java:1:0 x red \ufffd"},
		{"UTF-16", `<?xml version="1.0" encoding="UTF-16"?><checkstyle/>`, "error: not read"},
		{"an unknown severity", doc(`<error severity="odd"/>`), "error: unknown severity"},
		{"a crash", doc("<exception>java.lang.NullPointerException</exception>"), "error: crashed on A.java"},
		{"another document", "<pmd/>", "error: a document of <pmd>"},
		{"an entity", `<!DOCTYPE checkstyle [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + doc(`<error severity="info" message="&x;"/>`), "error: entity"},
		{"nested", "<checkstyle>" + strings.Repeat("<a>", 1000), "error: too deep"},
		{"cut", doc("")[:40], "error: XML"},
		{"text after it", doc("") + "\nBUILD FAILED", "error: text outside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkSummary(t, "checkstyle", Output{Report: []byte(tt.report), Root: "/srv", Dir: "/srv", Check: "x"}, tt.want)
		})
	}
}

func FuzzCheckstyle(f *testing.F) { fuzzRecorded(f, "checkstyle", parserOf(f, "checkstyle")) }
