//go:build unix

package test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMCPProbeTellsPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, err := w.command(w.dir, gavel(t), "mcp", "--probe").CombinedOutput()
	text := string(out)
	for _, want := range []string{"ok: gavel ", "gavel.mcp.v1", "tools", " ms", "findings", "health", "read_artifact", "review", "run_review", "state", "verdict"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: no %q in %s", err, want, text)
		}
	}
}

func TestMCPProbeTellsPrograms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, err := w.command(w.dir, gavel(t), "mcp", "--probe", "--json", "--tools", "runs").Output()
	var b body
	if jsonErr := json.Unmarshal(out, &b); err != nil || jsonErr != nil {
		t.Fatalf("%v, %v: %s", err, jsonErr, out)
	}
	if b.text(".ok") != "true" || b.word(".step") != "health" || b.word(".version") == "" || b.word(".protocol") != "gavel.mcp.v1" || b.number(".response_ms") < 0 ||
		b.text(".tools") != `["findings","health","read_artifact","run_review","state","verdict"]` {
		t.Errorf("%v", b)
	}
}

func TestMCPProbeSaysWhichStepFailed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step, path string
		args       []string
	}{
		{"initialize", "", []string{"--tools", "nothing"}},
		{"health", "/nothing", nil}, // there is no git
	} {
		w := newWorld(t)
		if c.path != "" {
			w.env["PATH"] = c.path
		}
		cmd := w.command(w.dir, gavel(t), append([]string{"mcp", "--probe", "--json"}, c.args...)...)
		out, _ := cmd.Output()
		var b body
		if err := json.Unmarshal(out, &b); err != nil || cmd.ProcessState.ExitCode() != 3 {
			t.Fatalf("%v, exit code %d: %s", err, cmd.ProcessState.ExitCode(), out)
		}
		if b.text(".ok") != "false" || b.word(".step") != c.step || !strings.Contains(b.word(".message"), c.step+": ") {
			t.Errorf("%s: %v", c.step, b)
		}
	}
}
