package detect

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
)

// TestSecretTable wants secret_table.go to be made of secret_rules.toml; -update makes it.
func TestSecretTable(t *testing.T) {
	data, err := os.ReadFile("secret_rules.toml")
	if err != nil {
		t.Fatal(err)
	}
	specs, err := readSecretFile(data, true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := format.Source(secretTable(specs))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("secret_table.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("secret_table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("secret_table.go is stale: go test ./internal/detect -run TestSecretTable -update\n%s", cmp.Diff(string(got), string(want)))
	}
	if n := len(secretDocs()); n < 150 {
		t.Errorf("%d families, want 150", n)
	}
}

var modeNames = map[secretMode]string{secretAt: "secretAt", secretAround: "secretAround", secretNamed: "secretNamed", secretSeed: "secretSeed"}

// secretTable spells the families as Go.
func secretTable(specs []secretSpec) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated from secret_rules.toml by TestSecretTable. DO NOT EDIT.\n\npackage detect\n\nimport \"github.com/gavel-review/gavel\"\n\n// secretFamilies are the rules of secret_rules.toml: a table costs nothing at start, reading the file would.\nvar secretFamilies = []secretSpec{\n")
	for i := range specs {
		b.WriteString("\t" + specLiteral(&specs[i]) + ",\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func specLiteral(s *secretSpec) string {
	var parts []string
	put := func(on bool, format string, args ...any) {
		if on {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	put(true, "ID: %q, Title: %q, Regex: %s", s.ID, s.Title, raw(s.Regex))
	put(s.Group != 0, "Group: %d", s.Group)
	put(len(s.Keywords) > 0, "Keywords: %#v", s.Keywords)
	put(s.Entropy != 0, "Entropy: %v", s.Entropy)
	put(s.Mode != secretAt, "Mode: %s", modeNames[s.Mode])
	put(s.Reach != 0, "Reach: %d", s.Reach)
	put(s.Long, "Long: true")
	put(s.Inside, "Inside: true")
	put(s.Shown != 0, "Shown: %d", s.Shown)
	put(s.Check != "", "Check: %q", s.Check)
	put(s.Loose, "Loose: true")
	if s.Severity != gavel.NoSeverity {
		word := s.Severity.String()
		put(true, "Severity: gavel.%s", strings.ToUpper(word[:1])+word[1:])
	}
	put(true, "About: %s", raw(s.About))
	put(s.Env != "", "Env: %q", s.Env)
	put(s.Example != "", "Example: %s", raw(s.Example))
	return "{" + strings.Join(parts, ", ") + "}"
}

func raw(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}
