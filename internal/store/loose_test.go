package store

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

const looseSARIF = `{"version":"2.1.0","runs":[{"results":[
{"ruleId":"a/b","level":"error","message":{"text":"One."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.go"},"region":{"startLine":2}}}]},
{"ruleId":"a/b","level":"note","message":{"text":"Two."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":9}}}]}]}]}`

func TestFindingsOf(t *testing.T) {
	t.Parallel()
	first, err := FindingsOf("id", "review.json", []byte(looseSARIF), FindingQuery{Limit: 1})
	if err != nil || first.Total != 2 || len(first.Items) != 1 || first.Items[0].File != "a.go" || first.Items[0].ArtifactRef != "review.json" || first.NextCursor == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := FindingsOf("id", "review.json", []byte(looseSARIF), FindingQuery{Limit: 1, Cursor: first.NextCursor})
	if err != nil || len(second.Items) != 1 || second.Items[0].File != "b.go" || second.NextCursor != "" {
		t.Errorf("%+v, %v", second, err)
	}
	for name, tt := range map[string]struct {
		id, sarif string
		q         FindingQuery
		want      gavel.Class
	}{
		"another id":       {"other", looseSARIF, FindingQuery{Cursor: first.NextCursor}, gavel.InvalidArgs},
		"another question": {"id", looseSARIF, FindingQuery{Cursor: first.NextCursor, NewOnly: true}, gavel.InvalidArgs},
		"no severity":      {"id", looseSARIF, FindingQuery{Severity: "grave"}, gavel.InvalidArgs},
		"no SARIF":         {"id", `{}`, FindingQuery{}, gavel.StorageCorrupt},
		"nothing":          {"id", ``, FindingQuery{}, gavel.StorageCorrupt},
	} {
		if _, err := FindingsOf(tt.id, "review.json", []byte(tt.sarif), tt.q); err == nil || gavel.AsError(err).Class != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestArtifactOf(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line\n", 5) + "the end"
	var whole strings.Builder
	for cursor := ""; ; {
		page, err := ArtifactOf("id", "review.json", []byte(text), cursor, 2)
		if err != nil || page.TotalLines != 6 {
			t.Fatalf("%+v, %v", page, err)
		}
		whole.WriteString(page.Content)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if whole.String() != text {
		t.Errorf("%q", whole.String())
	}
	if _, err := ArtifactOf("id", "review.json", []byte("\xff"), "", 0); gavel.AsError(err).Class != gavel.ArtifactMissing {
		t.Error(err)
	}
	if _, err := ArtifactOf("id", "review.json", nil, "x", 0); gavel.AsError(err).Class != gavel.InvalidArgs {
		t.Error(err)
	}
}

// Whatever a text is made of, a page of it is no larger than an answer may be, and nothing is lost between two pages.
func TestArtifactPagesFitWhenEscaped(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"\"", "\\\"", "\x01", "\x01\n", "\n", "\u2028", "ä", "x", "\U0001f600", "<a href=\"b\">\t\n"} {
		text := strings.Repeat(unit, 100_000/len(unit))
		var whole strings.Builder
		for cursor := ""; ; {
			page, err := ArtifactOf("id", "f", []byte(text), cursor, maxArtifactLines)
			if err != nil || page.Content == "" {
				t.Fatalf("%q: %v", unit, err)
			}
			encoded := 0
			for _, c := range page.Content {
				encoded += encodedSize(c, len(string(c)))
			}
			if len(page.Content) > artifactBytes || encoded > artifactJSON {
				t.Errorf("%q: a page of %d bytes, %d escaped", unit, len(page.Content), encoded)
			}
			whole.WriteString(page.Content)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if whole.String() != text {
			t.Errorf("%q: %d bytes of %d", unit, whole.Len(), len(text))
		}
	}
}
