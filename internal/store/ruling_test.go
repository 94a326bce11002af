package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func someRuling(n int) gavel.Ruling {
	return gavel.Ruling{
		Fingerprint: gavel.Fingerprint("risk/exec", "a.go", fmt.Sprint(n)), Subject: "tree", Why: "seen\nand \"understood\"", By: "ada",
		At: time.Date(2026, 3, 10, 12, 13, n%60, 0, time.UTC),
	}
}

func rulingsFile(s *Store) string {
	return filepath.Join(s.Root(), rulingsFolder, "repo"+rulingsSuffix)
}

func TestRulings(t *testing.T) {
	t.Parallel()
	s := home(t)
	var want []gavel.Ruling
	for n := range 5 {
		want = append(want, someRuling(n))
		must(t, s.AppendRuling("repo", want[n]))
		if got, err := s.Rulings("repo"); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	if got, err := s.Rulings("other"); err != nil || len(got) != 0 {
		t.Errorf("another repository has %+v, %v", got, err)
	}
	data, err := os.ReadFile(rulingsFile(s))
	must(t, err)
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, `{"v":1,`) || !strings.HasSuffix(line, "}\n") {
			t.Errorf("row %q", line)
		}
	}
}

func TestRulingsFileThatIsBroken(t *testing.T) {
	t.Parallel()
	row := func(n int) string {
		data, _ := json.Marshal(rulingRow{1, someRuling(n)})
		return string(data) + "\n"
	}
	newer := strings.Replace(row(2), `"v":1`, `"v":2`, 1)
	tests := []struct {
		name, file string
		n          int         // rulings that are read
		class      gavel.Class // of the error, or ""
	}{
		{"empty", "", 0, ""},
		{"whole", row(1) + row(2), 2, ""},
		{"torn last line", row(1) + row(2)[:40], 1, ""},
		{"torn inside a rune", row(1) + `{"v":1,"why":"` + "\xc3", 1, ""},
		{"torn before the line feed", row(1) + strings.TrimSuffix(row(2), "\n"), 2, ""},
		{"only a torn line", row(1)[:10], 0, ""},
		{"torn middle line", row(1) + row(2)[:40] + "\n" + row(3), 2, gavel.StorageCorrupt},
		{"torn first line", row(1)[:40] + "\n" + row(3), 1, gavel.StorageCorrupt},
		{"empty line", row(1) + "\n" + row(2), 2, gavel.StorageCorrupt},
		{"glued rows", strings.TrimSuffix(row(1), "\n") + row(2), 0, gavel.StorageCorrupt},
		{"zeros", row(1) + "\x00\x00\x00\x00\n", 1, gavel.StorageCorrupt},
		{"zeros at the end", row(1) + "\x00\x00\x00\x00", 1, ""},
		{"no version", row(1) + strings.Replace(row(2), `"v":1`, `"w":1`, 1), 1, gavel.StorageCorrupt},
		{"no fingerprint", `{"v":1,"subject":"t"}` + "\n", 0, gavel.StorageCorrupt},
		{"no subject", `{"v":1,"fingerprint":"p"}` + "\n", 0, gavel.StorageCorrupt},
		{"newer", row(1) + newer + row(3), 2, gavel.Refused},
		{"unknown fields of this version", row(1) + strings.Replace(row(2), `"v":1`, `"v":1,"more":[]`, 1), 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := home(t)
			must(t, os.MkdirAll(filepath.Dir(rulingsFile(s)), 0o700))
			must(t, os.WriteFile(rulingsFile(s), []byte(tt.file), 0o600))
			got, err := s.Rulings("repo")
			if len(got) != tt.n {
				t.Errorf("%d rulings, want %d", len(got), tt.n)
			}
			if tt.class == "" {
				must(t, err)
			} else if e := wantClass(t, err, tt.class); !strings.Contains(e.Message, rulingsFile(s)) {
				t.Errorf("the message names no file: %q", e.Message)
			}
			must(t, s.AppendRuling("repo", someRuling(9)))
			after, err := s.Rulings("repo")
			if len(after) != tt.n+1 || after[tt.n].Fingerprint != someRuling(9).Fingerprint {
				t.Errorf("after an append: %+v, %v", after, err)
			}
			if (err == nil) != (tt.class == "") {
				t.Errorf("after an append: %v", err)
			}
		})
	}
}

func TestAppendFromManyGoroutines(t *testing.T) {
	t.Parallel()
	s := home(t)
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			if err := s.AppendRuling("repo", someRuling(n)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got, err := s.Rulings("repo"); err != nil || len(got) != 16 {
		t.Errorf("%d rulings, %v", len(got), err)
	}
}

func TestLockedRulings(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.patience = 20 * time.Millisecond
	f, err := os.Open(rulingsFile(s))
	must(t, err)
	defer f.Close()
	if ok, err := tryLock(f); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	if e := wantClass(t, s.AppendRuling("repo", someRuling(2)), gavel.StorageLocked); e.RetryAfter <= 0 {
		t.Error("retrying would help, and the error does not say so")
	}
	if got, err := s.Rulings("repo"); err != nil || len(got) != 1 {
		t.Errorf("reading waits for nobody: %v, %v", got, err)
	}
}

func FuzzParseRulings(f *testing.F) {
	row, _ := json.Marshal(rulingRow{1, someRuling(1)})
	for _, file := range []string{"", string(row), string(row) + "\n", "{}\n", string(row[:20]), string(row) + "\n" + string(row[:20]) + "\n"} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rulings, err := parseRulings("file", data)
		if err != nil {
			wantOneOf(t, err, gavel.StorageCorrupt, gavel.Refused)
		}
		for _, r := range rulings {
			if r.Fingerprint == "" || r.Subject == "" {
				t.Fatalf("a ruling on nothing: %+v", r)
			}
		}
	})
}

func wantOneOf(t *testing.T, err error, classes ...gavel.Class) {
	t.Helper()
	for _, class := range classes {
		if gavel.AsError(err).Class == class {
			return
		}
	}
	t.Fatalf("error %v, want one of %v", err, classes)
}
