package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestShownPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a/" + planted + ".txt":                "a/ghp_***.txt",
		planted:                                "ghp_***",
		planted + "/x.go":                      "ghp_***/x.go",
		"k/" + planted + "/" + planted + ".go": "k/ghp_***/ghp_***.go",
		"\xff" + planted:                       `"\377ghp_***"`,
		// names that are long and are no secrets
		"internal/detect/secret_family_test.go":                                       "",
		"assets/index-4f2a9c1b7d3e8f60.js":                                            "",
		"migrations/20260101120000_create_users_table.sql":                            "",
		"data/key=0123456789abcdef/token=fedcba9876543210/part-00000.parquet":         "",
		"objects/3b/18e512dba79e4c8300dd08aeb37f8e728b8dad":                           "",
		"img/f47ac10b-58cc-4372-a567-0e02b2c3d479.png":                                "",
		"heroku/f47ac10b-58cc-4372-a567-0e02b2c3d479.json":                            "",
		"datadog/0123456789abcdef0123456789abcdef.json":                               "",
		"node_modules/.pnpm/@types+node@20.1.0_typescript@5.4.2/node_modules/x/a.js":  "",
		"testdata/fuzz/FuzzRead/582528ddfad69eb57775199a43e0f9fd5c94bba343ce7bb6724d": "",
	} {
		if want == "" {
			want = path
		}
		if got := ShownPath(path); got != want {
			t.Errorf("%q is shown as %q, want %q", path, got, want)
		}
	}
}

// TestSecretInName: a name that the change brings is a finding, by the rule of the token, and one that was there before
// is none; no field of any finding shows the value.
func TestSecretInName(t *testing.T) {
	t.Parallel()
	path := "keys/" + planted + ".go"
	tests := []struct {
		name  string
		file  gavel.File
		whole bool
		want  int
	}{
		{"added", gavel.File{Status: gavel.Added}, false, 1},
		{"copied", gavel.File{Status: gavel.Copied, OldPath: "a.go"}, false, 1},
		{"renamed to it", gavel.File{Status: gavel.Renamed, OldPath: "a.go"}, false, 1},
		{"moved with it", gavel.File{Status: gavel.Renamed, OldPath: "old/" + planted + ".go"}, false, 0},
		{"modified", gavel.File{Status: gavel.Modified}, false, 0},
		{"deleted", gavel.File{Status: gavel.Deleted}, false, 0},
		{"scanned", gavel.File{Status: gavel.Added, OldPath: "deep/keys/" + planted + ".go"}, true, 1},
	}
	for _, tt := range tests {
		tt.file.Path = path
		tt.file.Hunks = []gavel.Hunk{{NewStart: 1, NewLines: 1, Lines: []gavel.Line{{Op: gavel.Add, New: 1, Text: "<<<<<<< ours"}}}}
		n := 0
		for _, f := range Run(All(), &tt.file, nil, tt.whole).Findings {
			if f.Category == gavel.CategorySecret {
				n++
				if f.Scope != gavel.ScopeChangedLine || f.Severity < gavel.High || f.Rule != "secret/github-token" {
					t.Errorf("%s: %+v", tt.name, f)
				}
			}
			if f.File != "keys/ghp_***.go" || strings.Contains(f.Title+f.Description+f.Suggestion+f.Snippet, planted[4:16]) {
				t.Errorf("%s: %+v", tt.name, f)
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, n, tt.want)
		}
	}
}

func TestMaskHunksInNames(t *testing.T) {
	t.Parallel()
	f := &gavel.File{Path: "a/" + planted, OldPath: planted, Status: gavel.Renamed}
	got, places, err := MaskHunks(f)
	if err != nil || places != 2 || got.Path != "a/ghp_***" || got.OldPath != "ghp_***" || f.OldPath != planted {
		t.Errorf("%+v, %d places, %v", got, places, err)
	}
}
