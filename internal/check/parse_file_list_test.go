package check

import "testing"

// Recorded with gofmt of go 1.26.8 (gofmt -l) and prettier 3.10.1 (prettier --list-different).
func TestFileList(t *testing.T) {
	t.Parallel()
	testRecorded(t, "file-list", parserOf(t, "file-list"), []recorded{
		{file: "gofmt.txt", root: "/srv/shop", check: "gofmt"},
		{file: "gofmt-clean.txt", root: "/srv/shop", check: "gofmt"},
		{file: "gofmt-syntax.txt", exit: 2, root: "/srv/shop", check: "gofmt"},
		{file: "gofmt-nothing.txt", exit: 2, root: "/srv/shop", check: "gofmt", fails: "exited 2: lstat nope"},
		{file: "prettier.txt", exit: 1, root: "/srv/shop", check: "prettier"},
		{file: "prettier-clean.txt", root: "/srv/shop", check: "prettier"},
		{file: "prettier-syntax.txt", exit: 2, root: "/srv/shop", check: "prettier"},
		{file: "prettier-nothing.txt", exit: 2, root: "/srv/shop", check: "prettier", fails: "No files matching the pattern"},
		{file: "prettier-clean.txt", exit: 1, root: "/srv/shop", check: "prettier", fails: "exited 1"},
	})
}

func TestFileListText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, stdout, want string }{
		{"a blank in the name", "src/my page.tsx\n", "low web/src/my page.tsx:0:0 format the file is not formatted"},
		{"Windows", "src\\a.ts\r\n", "low web/src/a.ts:0:0 format the file is not formatted"},
		{"an absolute path", "/srv/web/a.ts\n", "low web/a.ts:0:0 format the file is not formatted"},
		{"a file without an extension", "README\n.prettierrc\n", "low web/README:0:0 format the file is not formatted\n" +
			"low web/.prettierrc:0:0 format the file is not formatted"},
		{"a sentence", "All matched files use Prettier code style!\n", "error: no path"},
		{"a sentence with a full stop", "Nothing was done.\n", "error: no path"},
		{"a word", "Killed\n", "error: no path"},
		{"an error", "error: cannot open a.ts\n", "error: no path"},
		{"a page", "<html>\n", "error: no path"},
		{"JSON", "{\"files\": []}\n", "error: no path"},
		{"a folder", "src/\n", "error: no path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkSummary(t, "file-list", Output{Report: []byte(tt.stdout), Root: "/srv", Dir: "/srv/web", Check: "fmt"}, tt.want)
		})
	}
}

func FuzzFileList(f *testing.F) { fuzzRecorded(f, "file-list", parserOf(f, "file-list")) }
