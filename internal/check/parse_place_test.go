package check

import "testing"

func TestPlace(t *testing.T) {
	t.Parallel()
	unix := Output{Root: "/srv/shop", Dir: "/srv/shop/web"}
	windows := Output{Root: `C:\work\shop`, Dir: `C:\work\shop\web`}
	for _, tt := range []struct {
		o        Output
		in, want string
		ok       bool
	}{
		{unix, "a.ts", "web/a.ts", true},
		{unix, "./src//a.ts", "web/src/a.ts", true},
		{unix, "../a.ts", "a.ts", true},
		{unix, "../../a.ts", "", false},
		{unix, "../../shop/a.ts", "a.ts", true},
		{unix, "/srv/shop/a.ts", "a.ts", true},
		{unix, "/srv/shop", "", true},
		{unix, "/srv/shopping/a.ts", "", false},
		{unix, "/usr/lib/node_modules/x/a.ts", "", false},
		{unix, `src\a.ts`, "web/src/a.ts", true},
		{unix, `C:\work\a.ts`, "", false},
		{unix, "a\nb.ts", "", false},
		{unix, "\x1b[1ma.ts\x1b[0m", "web/a.ts", true},
		{unix, "", "", false},
		{windows, `c:\Work\Shop\src\a.ts`, "src/a.ts", true},
		{windows, "C:/work/shop/src/a.ts", "src/a.ts", true},
		{windows, `\\?\C:\work\shop\a.ts`, "a.ts", true},
		{windows, `src\a.ts`, "web/src/a.ts", true},
		{windows, `D:\work\shop\a.ts`, "", false},
		{windows, `\\server\share\a.ts`, "", false},
		{Output{Root: "/srv/shop"}, "a.ts", "a.ts", true},
		{Output{Root: "/"}, "/srv/a.ts", "srv/a.ts", true},
		{Output{}, "/srv/a.ts", "", false},
	} {
		if got, ok := tt.o.place(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("%q in %q: %q, %v, want %q, %v", tt.in, tt.o.Root, got, ok, tt.want, tt.ok)
		}
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/usr/local/go/src/fmt/print.go": "outside the tree: …/src/fmt/print.go:3",
		`C:\Users\ann\x.go`:              "outside the tree: …/Users/ann/x.go:3",
		"../../x.go":                     "outside the tree: x.go:3",
		"/x.go":                          "outside the tree: x.go:3",
		"":                               "",
	} {
		if got := outside(in, 3); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCutPosition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, name     string
		line, column int
	}{
		{"a.go:3:5", "a.go", 3, 5},
		{"a.go:3", "a.go", 3, 0},
		{"a.go", "a.go", 0, 0},
		{`C:\a.go:3:5`, `C:\a.go`, 3, 5},
		{`C:\a.go`, `C:\a.go`, 0, 0},
		{"a:b.go:1:3:5", "a:b.go:1", 3, 5},
		{":3:5", ":3", 5, 0},
		{"a.go:-3", "a.go:-3", 0, 0},
		{"a.go:+3", "a.go:+3", 0, 0},
		{"a.go:99999999999999999999", "a.go:99999999999999999999", 0, 0},
		{"", "", 0, 0},
	} {
		name, line, column := cutPosition(tt.in)
		if name != tt.name || line != tt.line || column != tt.column {
			t.Errorf("%q: %q %d %d, want %q %d %d", tt.in, name, line, column, tt.name, tt.line, tt.column)
		}
	}
}

func TestSafe(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"no-eval": "no-eval", "@typescript-eslint/no-Unused_vars": "@typescript-eslint/no-unused-vars", "SA4006": "sa4006",
		"../../etc/passwd": "etc/passwd", "a//b..c": "a/b.c", "a b\x00c": "a-b-c", "": "", "???": "", "größe": "gr-e", "a/": "a",
		"python.lang.security": "python.lang.security",
	} {
		if got := safe(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
