package check

import "testing"

// Recorded with pip-audit 2.10.1: pip-audit -f cyclonedx-json.
func TestJSONPresenceRecorded(t *testing.T) {
	t.Parallel()
	testRecorded(t, "json-presence", parserOf(t, "json-presence"), []recorded{
		{file: "bom.json", root: "/srv/shop", check: "sbom"},
		{file: "bom.json", exit: 1, root: "/srv/shop", check: "sbom", fails: "exited 1"},
	})
}

func TestJSONPresence(t *testing.T) {
	t.Parallel()
	for report, ok := range map[string]bool{
		`{}`: true, `[1]` + "\r\n": true, `{"bomFormat":"CycloneDX","components":[]}`: true, "\ufeff{}": true,
		`0`: false, `"done"`: false, ``: false, ` `: false, `null`: false, `{`: false, `{} {}`: false, `{"a":1}x`: false, `<html></html>`: false, `done`: false,
	} {
		r, err := parserOf(t, "json-presence")(Output{Report: []byte(report), Root: "/r", Dir: "/r", Check: "sbom"})
		if (err == nil) != ok || len(r.Findings) != 0 {
			t.Errorf("%q: %+v, %v", report, r, err)
		}
	}
	if _, err := parserOf(t, "json-presence")(Output{Report: []byte(`{}`), Exit: 1}); err == nil {
		t.Error("a tool that failed has measured")
	}
}

func FuzzJSONPresence(f *testing.F) { fuzzRecorded(f, "json-presence", parserOf(f, "json-presence")) }
