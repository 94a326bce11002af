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

// TestNotWide: what is no UTF-16 stays binary, and costs no failure where it cannot be read.
func TestNotWide(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"empty": "", "mark alone": "\xff\xfe", "UTF-32": "\xff\xfe\x00\x00k\x00\x00\x00", "plain": "\x00\x01token"} {
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
