package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/gavel-review/gavel/internal/app"
)

// The commit filters of review over the wire, and what they are called on the other side of it.
func TestSelectionArguments(t *testing.T) {
	t.Parallel()
	tool := schemaTool("review", string(Schema("review")))
	good := map[string]string{
		`{"author":["a"],"committer":[],"start_date":"2024-02-29","end_date":"2024-03-01"}`: `{"author":["a"],"committer":[],"end_date":"2024-03-01","start_date":"2024-02-29"}`,
		`{"text":"x","max_commits":5.0,"merges":true,"diff":["main...HEAD"]}`:               `{"diff":["main...HEAD"],"max_commits":5,"merges":true,"text":"x"}`,
		`{"author":null,"text":null,"max_commits":0,"merges":false}`:                        `{"max_commits":0,"merges":false}`,
	}
	bad := map[string]string{
		`{"author":"a"}`:               "review: author: want an array, got a string",
		`{"committer":[1]}`:            "review: committer[0]: want a string, got an integer",
		`{"start_date":"2024-02-30"}`:  `review: start_date: "2024-02-30" is not a date like 2026-01-31`,
		`{"end_date":"2024-1-1"}`:      `review: end_date: "2024-1-1" is not a date like 2026-01-31`,
		`{"end_date":20240101}`:        "review: end_date: want a string, got an integer",
		`{"max_commits":-1}`:           "review: max_commits: -1 is less than 0",
		`{"max_commits":"5"}`:          "review: max_commits: want an integer, got a string",
		`{"merges":"yes"}`:             "review: merges: want a boolean, got a string",
		`{"authors":["a"]}`:            "review: authors: unknown argument; did you mean author?",
		`{"author":["a\u0000--all"]}`:  "review: author[0]: contains a NUL character",
		`{"text":"a","text":"b"}`:      "review: text: given twice",
		`{"start_date":"2024-01-01 "}`: `review: start_date: "2024-01-01 " is not a date like 2026-01-31`,
	}
	for args, want := range good {
		got, err := tool.arguments(json.RawMessage(args))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", args, got, err)
			continue
		}
		var in app.ReviewInput
		if err := json.Unmarshal(got, &in); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	for args, want := range bad {
		if _, err := tool.arguments(json.RawMessage(args)); err == nil || err.Error() != "invalid_args: "+want {
			t.Errorf("%s:\n%v\nwant %s", args, err, want)
		}
	}
}
