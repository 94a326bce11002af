package check

import (
	"encoding/json"
	"strings"
	"testing"
)

// The results are made up, after the fields that trufflehog 3 writes and logs.
func TestTruffleHog(t *testing.T) {
	t.Parallel()
	testRecorded(t, "trufflehog", parserOf(t, "trufflehog"), []recorded{
		{file: "found.jsonl", exit: 183, root: "/srv/shop", check: "trufflehog"},
		{file: "clean.jsonl", root: "/srv/shop", check: "trufflehog"},
		{file: "clean.jsonl", exit: 183, root: "/srv/shop", check: "trufflehog", fails: "exited 183"},
		{file: "found.jsonl", exit: 1, root: "/srv/shop", check: "trufflehog", fails: "exited 1"},
	})
}

// No finding holds a secret, and no error quotes one.
func TestTruffleHogKeepsSecrets(t *testing.T) {
	t.Parallel()
	c := recorded{file: "found.jsonl", exit: 183, root: "/srv/shop", check: "trufflehog"}
	o := c.output(t, "trufflehog")
	r, err := parserOf(t, "trufflehog")(o)
	if err != nil || len(r.Findings) != 3 {
		t.Fatal(err, r)
	}
	if text, _ := json.Marshal(r); strings.Contains(string(text), "not-a-k") {
		t.Errorf("the report holds a secret: %s", text)
	}
	for cut := range len(o.Report) {
		o := o
		o.Report = o.Report[:cut]
		if _, err := parserOf(t, "trufflehog")(o); err != nil && strings.Contains(err.Error(), "not-a-k") {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

func TestTruffleHogRefuses(t *testing.T) {
	t.Parallel()
	const (
		one  = `{"SourceMetadata":{"Data":{"Filesystem":{"file":"a.py","line":1}}},"DetectorName":"AWS"}` + "\n"
		none = `{"msg":"finished scanning","chunks":1,"verified_secrets":0,"unverified_secrets":0}` + "\n"
	)
	for name, c := range map[string][2]string{
		"nothing":             {"", ""},
		"only a start":        {"", `{"msg":"running source"}` + "\n"},
		"a summary that ends": {"", none[:40]},
		"no counts":           {"", `{"msg":"finished scanning","chunks":1}` + "\n"},
		"more than counted":   {one, none},
		"less than counted":   {"", strings.Replace(none, `unverified_secrets":0`, `unverified_secrets":1`, 1)},
		"prose":               {"no secrets here\n", none},
		"a page":              {"<html></html>\n", none},
		"another object":      {"{}\n", strings.Replace(none, `unverified_secrets":0`, `unverified_secrets":1`, 1)},
	} {
		r, err := parserOf(t, "trufflehog")(Output{Report: []byte(c[0]), Stderr: []byte(c[1]), Root: "/r", Dir: "/r", Check: "trufflehog"})
		if err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func FuzzTruffleHog(f *testing.F) { fuzzRecorded(f, "trufflehog", parserOf(f, "trufflehog")) }
