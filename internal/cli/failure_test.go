package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestEveryClassHasItsExitCode(t *testing.T) {
	t.Parallel()
	for _, m := range gavel.Classes {
		r := run(t, "fail", "--class", string(m.Class))
		if r.code != m.Exit || r.stdout != "" || r.stderr != "gavel: it broke\nhint: mend it\n" {
			t.Errorf("%s: %+v", m.Class, r)
		}
	}
}

func TestErrorAsDocument(t *testing.T) {
	t.Parallel()
	r := run(t, "fail", "--class", "tool_missing", "--json")
	var got map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := `{"error_class":"tool_missing","hint":"mend it","message":"it broke","retry_after_ms":1500,"schema_version":"gavel.mcp.v1","tool":"git"}`
	if mustJSON(t, got) != want {
		t.Errorf("got %s", r.stdout)
	}
	if !strings.HasPrefix(r.stderr, "gavel: it broke\n") {
		t.Errorf("people read standard error: %q", r.stderr)
	}
}

func TestErrorAsDocumentForEveryMistake(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"demo --nope --json", "--json nope", "demo --format=json --nope", "demo --nope --format json", "demo --color x --json"} {
		if r := run(t, strings.Fields(args)...); r.code != 64 || !strings.Contains(r.stdout, `"error_class": "invalid_args"`) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for _, args := range []string{"demo --nope", "demo --nope -- --json", "demo --nope --format", "demo --json=false --nope"} {
		if r := run(t, strings.Fields(args)...); r.code != 64 || r.stdout != "" {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestVerboseErrorShowsItsClassAndCause(t *testing.T) {
	t.Parallel()
	r := run(t, "fail", "--class", "conflict", "-v")
	if r.stderr != "gavel: it broke\nhint: mend it\nclass: conflict\ncause: the cause\n" {
		t.Errorf("%q", r.stderr)
	}
}

func TestErrorsOfOtherTypes(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]result{
		"plain":    {3, "", "gavel: plain\n"},
		"canceled": {130, "", "gavel: deep: context canceled\n"},
		"deadline": {3, "", "gavel: deep: context deadline exceeded\n"},
		"unheard":  {3, "", "gavel: it broke\nhint: mend it\n"},
	} {
		if r := run(t, "fail", "--class", class); r != want {
			t.Errorf("%s: %+v", class, r)
		}
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	r := run(t, "fail", "--class", "panic")
	if r.code != 3 || r.stdout != "" || !strings.HasPrefix(r.stderr, `gavel: stopped unexpectedly: a\x1b[31mb`+"\nhint: this is a bug") {
		t.Errorf("%+v", r)
	}
	if strings.Contains(r.stderr, "goroutine") {
		t.Error("the stack is shown without --verbose")
	}
	if r := run(t, "fail", "--class", "panic", "--verbose"); !strings.Contains(r.stderr, "goroutine") {
		t.Errorf("%+v", r)
	}
	if r := run(t, "fail", "--class", "panic", "--json"); r.code != 3 || !strings.Contains(r.stdout, `"error_class": "internal"`) {
		t.Errorf("%+v", r)
	}
	if r := run(t, "fail", "--class", "render"); r.code != 3 || r.stdout != "" {
		t.Errorf("half a result: %+v", r)
	}
	if r := run(t, "demo", "--fail-on", "any"); r.code != 3 || r.stdout != "" {
		t.Errorf("half a result: %+v", r)
	}
}
