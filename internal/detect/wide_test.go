package detect

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gavel-review/gavel"
)

// wideText encodes a text in UTF-16 with its byte order mark.
func wideText(text string, order binary.AppendByteOrder) string {
	data := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return string(data)
}

func binaryFile(path string) *gavel.File {
	return &gavel.File{Path: path, Status: gavel.Added, Binary: true, Skip: &gavel.Skip{Path: path, Reason: gavel.SkipBinary}}
}

// TestWide: UTF-16 counts as binary, and is searched for secrets all the same.
func TestWide(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	text := "first\r\nkey = \"" + token + "\" \U0001f600\r\nlast"
	for name, data := range map[string]string{
		"little": wideText(text, binary.LittleEndian), "big": wideText(text, binary.BigEndian),
		"odd": wideText(text, binary.LittleEndian) + "\x00", "broken pair": wideText(text, binary.BigEndian) + "\xd8\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := Run([]Detector{secretDetector(), focused}, binaryFile("conf/settings.reg"), func() (string, error) { return data, nil }, false)
			found := result.Findings
			if len(found) != 1 || found[0].Line != 2 || found[0].Rule != "secret/github-token" || found[0].Scope != gavel.ScopeChangedLine || !result.Decoded || result.Err != nil {
				t.Fatalf("%+v", result)
			}
			if leaks(&found[0], token[4:]) != "" {
				t.Errorf("shown: %q", found[0].Snippet)
			}
		})
	}
}

// widest encodes a text in UTF-32.
func widest(text string, order binary.AppendByteOrder) string {
	data := order.AppendUint32(nil, 0xfeff)
	for _, r := range text {
		data = order.AppendUint32(data, uint32(r))
	}
	return string(data)
}

// TestSecretsInBinary: whatever makes git take a file for binary, secrets in it are found: one NUL anywhere, wide
// characters with and without a mark, a key over many lines, text inside a program.
func TestSecretsInBinary(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	line := "key = \"" + token + "\"\n"
	key := newPEM(t) + "\n"
	for _, tt := range []struct {
		name, data, rule string
		line             int
	}{
		{"NUL at the end", line + "\x00", "github-token", 1},
		{"NUL at the start", "\x00" + line, "github-token", 1},
		{"NUL next to it", "a\nkey=\x00" + token + "\x00\n", "github-token", 2},
		{"key", "a\n" + key + "\x00", "private-key", 2},
		{"key, wide", wideText(key, binary.LittleEndian), "private-key", 1},
		{"key, wider", widest(key, binary.BigEndian), "private-key", 1},
		{"no mark, little", wideText("a\n"+line, binary.LittleEndian)[2:], "github-token", 2},
		{"no mark, big", wideText("a\n"+line, binary.BigEndian)[2:], "github-token", 2},
		{"UTF-32, little", widest("\U0001f600\n"+line, binary.LittleEndian), "github-token", 2},
		{"UTF-32, big", widest("\U0001f600\n"+line, binary.BigEndian) + "\x00", "github-token", 2},
		{"no character", widest(line, binary.BigEndian) + "\x7f\xff\xff\xff", "github-token", 1},
		{"program", strings.Repeat("\x7fELF\x02\x00\xf3\x88", 99) + "\x00" + token + "\x00" + strings.Repeat("\x90\x00\xe8", 99), "github-token", 1},
		{"password in a text", "password = \"xK9mQ2vLp7Zt4Rw81\"\n\x00", "assigned-password", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, status := range []gavel.FileStatus{gavel.Added, gavel.Modified} {
				f := binaryFile("run.sh")
				f.Status, f.OldID, f.NewID = status, "1", "2"
				result := Run([]Detector{secretDetector(), addedFile}, f, func() (string, error) { return tt.data, nil }, false)
				found := make(map[string]int)
				for _, f := range result.Findings {
					found[f.Rule] = f.Line
				}
				if len(found) != 2 || found["secret/"+tt.rule] != tt.line || found[ruleBinarySource.ID] != 1 || !result.Decoded || result.Err != nil {
					t.Errorf("status %v: %v, decoded %v, %v", status, found, result.Decoded, result.Err)
				}
			}
		})
	}
}

// TestStrewnText: in a program, a name next to a value is no assignment.
func TestStrewnText(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("\x7f\x02\x00\xf3\x88\x90", 200)
	data := noise + "password = \"xK9mQ2vLp7Zt4Rw81\"" + noise
	result := Run([]Detector{secretDetector()}, binaryFile("tool"), func() (string, error) { return data, nil }, false)
	if len(result.Findings) != 0 || !result.Decoded {
		t.Errorf("%+v", result)
	}
	result = Run([]Detector{secretDetector()}, binaryFile("tool"), func() (string, error) { return "\x00" + strings.Repeat("\n", maxBinaryLines+1), nil }, false)
	if result.Err == nil {
		t.Error("a file that was not searched gives no error")
	}
}

// TestNotDecoded: what holds nothing stays binary, and costs no failure where it cannot be read.
func TestNotDecoded(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"empty": "", "mark alone": "\xff\xfe", "text": "plain"} {
		result := Run([]Detector{secretDetector()}, binaryFile("x.bin2"), func() (string, error) { return data, nil }, false)
		if result.Decoded || len(result.Findings) > 0 || result.Err != nil {
			t.Errorf("%s: %+v", name, result)
		}
	}
	result := Run([]Detector{secretDetector()}, binaryFile("x"), func() (string, error) { return "", errors.New("gone") }, false)
	if result.Decoded || result.Err != nil {
		t.Errorf("%+v", result)
	}
	Run([]Detector{secretDetector()}, binaryFile("logo.PNG"), func() (string, error) { t.Error("a picture was read"); return "", nil }, false)
}

// TestHostileText: invalid UTF-8 and long lines end in findings, not in failures, and what is planted is found.
func TestHostileText(t *testing.T) {
	t.Parallel()
	token := sampleOf(t, specNamed(t, "github-token"), newRand(1))
	for name, filler := range map[string]string{"invalid": "\xff\xc3\x28\xed\xa0\x80", "escapes": "\x1b[31m\x07", "minified": "var a=function(b){return b.token};", "high": "\u202e\U0001f600"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long := strings.Repeat(filler, (1<<21)/len(filler))
			found := passOver(t, added("app.min.js", long+" "+token+" "+long))
			if len(found) != 1 || found[0].Rule != "secret/github-token" || len(found[0].Snippet) > 8*snippetBytes {
				t.Fatalf("%d findings", len(found))
			}
			if leaks(&found[0], token[4:]) != "" {
				t.Error("the value is shown")
			}
		})
	}
}
