package app

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/gavel-review/gavel"
)

// TestWideFiles: a UTF-16 file counts as binary, its secrets are found all the same, and the list of what was not
// reviewed says what was looked at.
func TestWideFiles(t *testing.T) {
	t.Parallel()
	data := binary.LittleEndian.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune("[app]\r\ndb_password = zQ7" + "kw0Xr2mT9\r\n")) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	dir, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.ini"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	env := &Env{Version: "test", Dir: dir, Now: time.Now, Progress: func(string) {}, Stdin: strings.NewReader(""), Door: CLI, Getenv: func(name string) string {
		switch name {
		case "HOME", "GAVEL_HOME":
			return home
		case "PATH":
			return os.Getenv("PATH")
		}
		return ""
	}}
	check := func(name string, out *ReviewOutput, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		skipped := out.Meta.Coverage.Skipped
		if len(out.Findings) != 1 || out.Findings[0].Rule != "secret/assigned-password" || out.Findings[0].Line != 2 {
			t.Errorf("%s: findings %+v", name, out.Findings)
		}
		if len(skipped) != 1 || skipped[0].Reason != gavel.SkipBinary || !strings.Contains(skipped[0].Detail, "secrets only") {
			t.Errorf("%s: skipped %+v", name, skipped)
		}
	}
	out, err := Scan.Run(t.Context(), env, ScanInput{Only: []string{"secret"}})
	check("scan", out, err)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, text)
		}
	}
	out, err = Review.Run(t.Context(), env, ReviewInput{Only: []string{"secret"}})
	check("review", out, err)
}
