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

// TestExchangedKeys: whatever frame a key stands in, another one below the same opening line is found once, at the first
// line that is new, with the whole text at hand and, where the hunk shows the opening line, without.
func TestExchangedKeys(t *testing.T) {
	t.Parallel()
	before := armored("RSA PRIVATE KEY", "0\x82\x04\xa4", 12)
	after := strings.Split(before, "\n")
	for i := 1; i < len(after)-1; i++ {
		line := []byte(after[i])
		for j := 8; j < len(line)-4; j++ {
			if line[j] >= 'a' && line[j] < 'z' {
				line[j]++
			}
		}
		after[i] = string(line)
	}
	putty := func(s string) string {
		lines := strings.Split(s, "\n")
		return "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1\nPrivate-Lines: 12\n" + strings.Join(lines[1:len(lines)-1], "\n") + "\nPrivate-MAC: 1"
	}
	around := func(left, right string) func(string) string {
		return func(s string) string { return left + strings.ReplaceAll(s, "\n", right+"\n"+left) + right }
	}
	narrow := func(s string) string {
		lines := strings.Split(s, "\n")
		body := strings.Join(lines[1:len(lines)-1], "")
		out := lines[:1:1]
		for ; len(body) > 20; body = body[20:] {
			out = append(out, body[:20])
		}
		return strings.Join(append(out, body, lines[len(lines)-1]), "\n")
	}
	header := func(s string) string { return strings.Replace(s, "-----\n", "-----\nProc-Type: 4,CLEAR\n\n", 1) }
	placeholder := func(s string) string {
		if s == before {
			return "-----BEGIN RSA PRIVATE KEY-----\nplaceholder\n-----END RSA PRIVATE KEY-----"
		}
		return s
	}
	for name, frame := range map[string]func(string) string{
		"plain": around("", ""), "hash": around("# ", ""), "slashes": around("// ", ""), "yaml": around("      ", ""), "crlf": around("", "\r"),
		"java": around(`  "`, `\n" +`), "array": around(`  '`, `',`), "narrow": narrow, "header": header, "placeholder": placeholder, "putty": putty,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The line that opens the key stands far above the hunk in one case and in it in the other.
			was, is := frame(before), frame(strings.Join(after, "\n"))
			for _, load := range []func() (string, error){func() (string, error) { return is, nil }, nil} {
				f := &gavel.File{Path: "conf/k.py", Status: gavel.Modified, Hunks: diffHunks(was, is)}
				if load != nil {
					for i := range f.Hunks {
						f.Hunks[i].Lines = withoutContext(f.Hunks[i].Lines)
					}
				} else if name == "putty" || name == "header" {
					continue // the hunk need not show the opening line
				}
				found := Run([]Detector{secretDetector()}, f, load, false).Findings
				if len(found) != 1 || found[0].Severity != gavel.Critical || found[0].Scope != gavel.ScopeChangedLine || found[0].Line < 2 {
					t.Fatalf("whole text %v: %+v", load != nil, found)
				}
				if text := strings.Split(is, "\n")[found[0].Line-1]; strings.Contains(found[0].Snippet, strings.TrimSpace(text)[4:12]) {
					t.Errorf("the snippet shows the key: %q", found[0].Snippet)
				}
			}
		})
	}
}

func withoutContext(lines []gavel.Line) []gavel.Line {
	var out []gavel.Line
	for _, l := range lines {
		if l.Op != gavel.Context {
			out = append(out, l)
		}
	}
	return out
}

// TestNoExchangedKey: base64 below a key, in a certificate or in a text that only speaks of keys is none.
func TestNoExchangedKey(t *testing.T) {
	t.Parallel()
	key := newPEM(t)
	certificate := strings.ReplaceAll(armored("RSA PRIVATE KEY", "0\x82", 4), "RSA PRIVATE KEY", "CERTIFICATE")
	body := randomText(newRand(8), 64)
	for name, text := range map[string]string{
		"below a key":  key + "\n" + body,
		"certificate":  key + "\n" + certificate,
		"header alone": `const begin = "-----BEGIN PRIVATE KEY-----"` + "\nlet x = {}\n" + body,
		"far below":    "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("\n", keyLines) + body,
	} {
		lines := strings.Split(text, "\n")
		n := len(lines)
		if name == "certificate" {
			n-- // its last line of base64
		}
		f := &gavel.File{Path: "a.txt", Status: gavel.Modified, Hunks: []gavel.Hunk{{NewStart: n, NewLines: 1, Lines: []gavel.Line{{Op: gavel.Add, New: n, Text: lines[n-1]}}}}}
		if found := Run([]Detector{secretDetector()}, f, func() (string, error) { return text, nil }, false).Findings; len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
