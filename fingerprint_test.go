package gavel_test

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// These values are pinned for ever: baselines and rulings hold them. A change here is a new prefix, never an edit.
var fingerprints = []struct{ rule, path, line, want string }{
	{"", "", "", "g1:96a296d224f285c67bee93c30f8a3091"},
	{"secret/aws-access-key-id", "cmd/main.go", `key := "*"`, "g1:ffc6f58825c8daa141fb50d78d90cf15"},
	{"hygiene/merge-marker", "a b/ü.txt", "<<<<<<< HEAD", "g1:4277e26ffdc05ee58e3b103cee5d88ff"},
	{"flaky/sleep", "x_test.go", "time.Sleep(time.Second)", "g1:a000400685731dc2b0a6fb6725652f76"},
	{"risk/exec", "a\nb", "eval(x)", "g1:4e69465a8e2f593053da68a780655bad"},
	{"injection/bidi", "bin/\xff", "a\xff\u202eb", "g1:aa8f6755f7c945a4d56da594a3f65213"},
}

func TestFingerprintIsPinned(t *testing.T) {
	t.Parallel()
	for _, tt := range fingerprints {
		if got := gavel.Fingerprint(tt.rule, tt.path, tt.line); got != tt.want {
			t.Errorf("Fingerprint(%q, %q, %q) = %q, pinned as %q", tt.rule, tt.path, tt.line, got, tt.want)
		}
	}
}

func TestFingerprintFolds(t *testing.T) {
	t.Parallel()
	same := [][]string{
		{"a b", " a b", "a b ", "a  b", "a\tb", "a\t \tb", "a b\r", "\ta b\n", "a\v\fb", "a\u00a0b", "a\u2003b", "a\u0085b"},
		{"ab"}, {"a\u200bb"}, {"A b"}, {"a  b c"}, {""},
	}
	seen := make(map[string]string)
	for _, group := range same {
		print := gavel.Fingerprint("r/x", "f", group[0])
		if other, taken := seen[print]; taken {
			t.Errorf("%q and %q are one", other, group[0])
		}
		seen[print] = group[0]
		for _, line := range group {
			if got := gavel.Fingerprint("r/x", "f", line); got != print {
				t.Errorf("%q and %q differ", group[0], line)
			}
		}
	}
	if gavel.Fingerprint("r/x", "f", " \t\r\n") != gavel.Fingerprint("r/x", "f", "") {
		t.Error("a blank line is not an empty one")
	}
}

func TestFingerprintSeparatesItsParts(t *testing.T) {
	t.Parallel()
	seen := make(map[string][3]string)
	for _, parts := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", ""}, {"", "a", "b c"}, {"", "a b", "c"}, {"a", "b", "c "}} {
		print := gavel.Fingerprint(parts[0], parts[1], parts[2])
		if other, taken := seen[print]; taken && strings.Join(other[:], "|") != "a|b|c" {
			t.Errorf("%q and %q are one", other, parts)
		}
		seen[print] = parts
		if len(print) != 35 || print[:3] != "g1:" || strings.Trim(print[3:], "0123456789abcdef") != "" {
			t.Errorf("%q has the wrong form", print)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d fingerprints, want 5: only the trailing blank folds", len(seen))
	}
}
