package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretInFileName: no format of a review or a scan shows the value of a secret that a file is named by, also where
// the file was not reviewed, and the document guards its own recomputation.
func TestSecretInFileName(t *testing.T) {
	t.Parallel()
	value := "ghp_" + "k3Jd82hGfQpLzXc91VbNmWe4RtYuIoPas0E1"
	c := newCheckout(t)
	env := c.env()
	c.write("keys/"+value+".go", "package p\n\n// gavel:ignore nothing\n<<<<<<< ours\n")
	c.write("vendor/"+value+"/x.go", "package p\n")
	c.git("add", "-A")
	out, err := Review.Run(t.Context(), env, ReviewInput{})
	if err != nil {
		t.Fatal(err)
	}
	scanned, err := Scan.Run(t.Context(), env, ScanInput{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*ReviewOutput{"review": out, "scan": scanned} {
		if n := o.Summary.Counts.High + o.Summary.Counts.Critical; n < 2 {
			t.Errorf("%s: counts %+v", name, o.Summary.Counts)
		}
		shown, err := json.Marshal(o.Document)
		if err != nil {
			t.Fatal(err)
		}
		text := bytes.NewBuffer(shown)
		for _, format := range []string{"text", "sarif", "markdown"} {
			if err := Review.Render(text, o, RenderOptions{Format: format, Width: 100}); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(text.String(), value[4:14]) {
			t.Errorf("%s shows the value:\n%s", name, text)
		}
		if !strings.Contains(text.String(), "keys/ghp_***.go") {
			t.Errorf("%s does not show the file", name)
		}
	}
	path := filepath.Join(c.dir, "..", "review.json")
	data, err := json.Marshal(out.Document)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Guard.Run(t.Context(), env, GuardInput{FromJSON: path}); err != nil {
		t.Errorf("guard: %v", err)
	}
}
