package check

import "testing"

// Recorded with TypeScript 7.0.2 and 5.9.3: tsc --noEmit --pretty false.
func TestTSC(t *testing.T) {
	t.Parallel()
	testRecorded(t, "tsc", parserOf(t, "tsc"), []recorded{
		{file: "clean.txt", root: "/srv/shop", check: "tsc"},
		{file: "errors.txt", exit: 1, root: "/srv/shop", check: "tsc"},
		{file: "errors-5.txt", exit: 2, root: "/srv/shop", check: "tsc"},
		{file: "help.txt", exit: 1, root: "/srv/shop", check: "tsc", fails: "no diagnostic of tsc"},
		{file: "config.txt", exit: 2, root: "/srv/shop", check: "tsc"},
		{file: "no-config.txt", exit: 2, root: "/srv/shop", check: "tsc"},
		{file: "clean.txt", exit: 2, root: "/srv/shop", check: "tsc", fails: "exited 2"},
	})
}

func TestTSCText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdout string
		exit         int
		want         string
	}{
		{"parentheses in the path", "src/(group)/a (1).ts(2,3): error TS2304: Cannot find name 'x'.\n", 2,
			"high web/src/(group)/a (1).ts:2:3 ts2304 Cannot find name 'x'."},
		{"parentheses in the message", "a.ts(2,3): error TS1: f(1,2): error TS2: x\n", 2, "high web/a.ts:2:3 ts1 f(1,2): error TS2: x"},
		{"Windows", "src\\a.ts(2,3): error TS2304: m\r\n", 2, "high web/src/a.ts:2:3 ts2304 m"},
		{"a parent folder", "../lib/a.ts(2,3): error TS2304: m\n", 2, "high lib/a.ts:2:3 ts2304 m"},
		{"a warning", "a.ts(2,3): warning TS80001: m\n", 1, "medium web/a.ts:2:3 ts80001 m"},
		{"colours and a mark", "\ufeff\x1b[96ma.ts\x1b[0m(2,3): error TS1: m\n", 2, "high web/a.ts:2:3 ts1 m"},
		{"help", "Version 5.9.3\ntsc: The TypeScript Compiler - Version 5.9.3\n", 1, "error: no diagnostic of tsc"},
		{"pretty", "src/a.ts:2:3 - error TS2304: m\n", 2, "error: no diagnostic of tsc"},
		{"a page", "<html></html>\n", 0, "error: no diagnostic of tsc"},
		{"an indented line first", "  Types differ.\n", 2, "error: no diagnostic of tsc"},
		{"a code that is none", "a.ts(2,3): error TSX: m\n", 2, "error: no diagnostic of tsc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.stdout), Exit: tt.exit, Root: "/srv", Dir: "/srv/web", Check: "tsc"}
			checkSummary(t, "tsc", o, tt.want)
		})
	}
}

func FuzzTSC(f *testing.F) { fuzzRecorded(f, "tsc", parserOf(f, "tsc")) }
