package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestKeyBodyUnderAnOldHeader(t *testing.T) {
	t.Parallel()
	body := []string{strings.Repeat("MIIEvQ8xZk", 6) + "aB3d", strings.Repeat("q7Lw+4Tz/e", 6) + "Yx2R", strings.Repeat("Kd9mPs0vHu", 6) + "Nf5c"}
	whole := "-----BEGIN PRIVATE KEY-----\n" + strings.Join(body, "\n") + "\n-----END PRIVATE KEY-----\n"
	hunk := gavel.Hunk{OldStart: 3, OldLines: 2, NewStart: 3, NewLines: 2, Lines: []gavel.Line{
		{Op: gavel.Remove, Old: 3, Text: "old"}, {Op: gavel.Remove, Old: 4, Text: "old"},
		{Op: gavel.Add, New: 3, Text: body[1]}, {Op: gavel.Add, New: 4, Text: body[2]},
	}}
	run := func(text string) []gavel.Finding {
		f := &gavel.File{Path: "conf/tls.key", Status: gavel.Modified, Hunks: []gavel.Hunk{hunk}}
		return Run([]Detector{secretDetector()}, f, func() (string, error) { return text, nil }, false).Findings
	}
	found := run(whole)
	if len(found) != 1 || found[0].Rule != "secret/private-key" || found[0].Line != 3 || found[0].Severity < gavel.High {
		t.Fatalf("%+v", found)
	}
	if strings.Contains(found[0].Snippet, body[1][:20]) {
		t.Errorf("the snippet shows the key: %q", found[0].Snippet)
	}
	if found := run(strings.ReplaceAll(whole, "PRIVATE KEY", "CERTIFICATE")); len(found) != 0 {
		t.Errorf("a certificate is taken for a key: %+v", found)
	}
}
