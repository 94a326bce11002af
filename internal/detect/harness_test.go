package detect

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gavel-review/gavel"
)

var update = flag.Bool("update", false, "rewrite the want section of the txtar files")

// TestArchives runs each testdata/NAME[.more].txtar against the detector NAME.
//
// The first folder of a file's path is its change: one that begins with "good" must give no finding, the others give
// what the file "want" lists, one "change/path:line rule" a line. A file change/old/path or change/new/path is one side of a
// modified, deleted or added file; any other file is added as a whole. \u{HEX} in a file stands for that character, so
// that no archive holds what the detectors look for in its own repository. Lines above the first file:
//
//	rename CHANGE OLD NEW     the old side stands at another path
//	binary CHANGE PATH SIZE   a binary file is added (PATH = OLD, NEW side only)
//	size CHANGE PATH SIZE     the file has this many bytes
//	mode CHANGE PATH OCTAL    the new side's mode
func TestArchives(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testArchive(t, path)
		})
	}
}

func testArchive(t *testing.T, path string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	got := runArchive(t, ar, detectorNamed(t, name))
	want := -1
	for i, f := range ar.Files {
		if f.Name == "want" {
			want = i
		}
	}
	if *update {
		if want < 0 {
			want = len(ar.Files)
			ar.Files = append(ar.Files, txtar.File{Name: "want"})
		}
		ar.Files[want].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want < 0 {
		t.Fatal("no want section: run with -update and read the result")
	}
	if diff := cmp.Diff(string(ar.Files[want].Data), got); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}

func detectorNamed(t *testing.T, name string) []Detector {
	t.Helper()
	for _, d := range All() {
		if d.Name == name {
			return []Detector{d}
		}
	}
	t.Fatalf("no detector is named %q", name)
	return nil
}

func runArchive(t *testing.T, ar *txtar.Archive, dets []Detector) string {
	changes := changesOf(t, ar)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		for _, f := range runChange(t, changes[name], dets) {
			scope := ""
			if f.Scope != gavel.ScopeChangedLine {
				scope = " " + string(f.Scope)
			}
			fmt.Fprintf(&out, "%s/%s:%d %s %s%s\n", name, f.File, f.Line, f.Rule, f.Severity, scope)
			if strings.HasPrefix(name, "good") && f.Scope == gavel.ScopeChangedLine && !*update {
				t.Errorf("%s/%s:%d: %s on code that is good", name, f.File, f.Line, f.Rule)
			}
		}
	}
	return out.String()
}

// change is one change of an archive, by path.
type change struct {
	files map[string]*side
}

type side struct {
	file     gavel.File
	old, new *string
}

func (c *change) at(path string) *side {
	s := c.files[path]
	if s == nil {
		s = &side{file: gavel.File{Path: path, Size: -1, OldMode: gavel.ModeRegular, NewMode: gavel.ModeRegular}}
		c.files[path] = s
	}
	return s
}

func changesOf(t *testing.T, ar *txtar.Archive) map[string]*change {
	changes := make(map[string]*change)
	get := func(name string) *change {
		if changes[name] == nil {
			changes[name] = &change{files: make(map[string]*side)}
		}
		return changes[name]
	}
	renamed := make(map[string]string)
	for line := range strings.Lines(string(ar.Comment)) {
		if w := strings.Fields(line); len(w) == 4 {
			number := func(base int) int64 {
				n, err := strconv.ParseInt(w[3], base, 64)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			switch s := func() *side { return get(w[1]).at(w[2]) }; w[0] {
			case "rename":
				renamed[w[1]+"/"+w[2]] = w[3]
				to := get(w[1]).at(w[3])
				to.file.OldPath, to.file.Status = w[2], gavel.Renamed
			case "binary":
				f := &s().file
				f.Binary, f.Size, f.Status = true, number(10), gavel.Added
				f.Skip = &gavel.Skip{Path: w[2], Reason: gavel.SkipBinary}
			case "size":
				s().file.Size = number(10)
			case "mode":
				s().file.NewMode = gavel.Mode(number(8))
			}
		}
	}
	for _, f := range ar.Files {
		group, path, ok := strings.Cut(f.Name, "/")
		if !ok {
			continue
		}
		text := unescape(string(f.Data))
		switch which, rest, _ := strings.Cut(path, "/"); which {
		case "old":
			if to := renamed[group+"/"+rest]; to != "" {
				rest = to
			}
			get(group).at(rest).old = &text
		case "new":
			get(group).at(rest).new = &text
		default:
			get(group).at(path).new = &text
		}
	}
	return changes
}

var escaped = regexp.MustCompile(`\\u\{([0-9a-fA-F]+)\}`)

func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseUint(m[3:len(m)-1], 16, 32)
		if err != nil || n > 0x10ffff {
			return m
		}
		return string(rune(n))
	})
}

func runChange(t *testing.T, c *change, dets []Detector) []gavel.Finding {
	var sum Summary
	var out []gavel.Finding
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		s := c.files[path]
		f := s.complete()
		var load func() (string, error)
		if s.new != nil {
			load = func() (string, error) { return *s.new, nil }
		}
		res := Run(dets, f, load, false)
		if res.Err != nil {
			t.Errorf("%s: %v", path, res.Err)
		}
		out = append(out, res.Findings...)
		sum.Files = append(sum.Files, res.Summary)
	}
	out = append(out, Finish(dets, &sum)...)
	if sum.Err != nil {
		t.Error(sum.Err)
	}
	slices.SortStableFunc(out, gavel.CompareFindings)
	for i := range out {
		checkFinding(t, &out[i])
	}
	return out
}

// complete computes what git would have said of the two sides.
func (s *side) complete() *gavel.File {
	f := s.file
	switch {
	case f.Binary:
	case s.old == nil:
		f.Status, f.OldMode = gavel.Added, gavel.ModeAbsent
	case s.new == nil:
		f.Status, f.NewMode = gavel.Deleted, gavel.ModeAbsent
	case f.Status == 0:
		f.Status = gavel.Modified
	}
	if s.new != nil && f.Size < 0 {
		f.Size = int64(len(*s.new))
	}
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	if !f.Binary {
		f.Hunks = diffHunks(text(s.old), text(s.new))
	}
	return &f
}

func checkFinding(t *testing.T, f *gavel.Finding) {
	t.Helper()
	if f.Severity == gavel.NoSeverity || f.Title == "" || f.Description == "" || f.Suggestion == "" || f.Line < 1 ||
		f.Source != gavel.SourceDetector || !f.Located || !strings.HasPrefix(f.Fingerprint, "g1:") || f.Language == "" ||
		f.Baseline != gavel.BaselineNew || f.Confidence == "" || f.Category == "" {
		t.Errorf("finding is not complete: %+v", f)
	}
	if Rule(f.Rule) == nil {
		t.Errorf("%s is no rule", f.Rule)
	}
}

// diffHunks is a line diff with three lines of context, for small texts.
func diffHunks(before, after string) []gavel.Hunk {
	a, b := splitLines(before), splitLines(after)
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []gavel.Line
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
			all = append(all, gavel.Line{Op: gavel.Context, Old: i, New: j, Text: a[i-1]})
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			i++
			all = append(all, gavel.Line{Op: gavel.Remove, Old: i, Text: a[i-1]})
		default:
			j++
			all = append(all, gavel.Line{Op: gavel.Add, New: j, Text: b[j-1]})
		}
	}
	return cutHunks(all)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func cutHunks(all []gavel.Line) []gavel.Hunk {
	const context = 3
	near := make([]bool, len(all))
	for i := range all {
		if all[i].Op != gavel.Context {
			for j := max(0, i-context); j <= min(len(all)-1, i+context); j++ {
				near[j] = true
			}
		}
	}
	var hunks []gavel.Hunk
	for i := range all {
		if !near[i] {
			continue
		}
		if i == 0 || !near[i-1] {
			hunks = append(hunks, gavel.Hunk{})
		}
		h := &hunks[len(hunks)-1]
		l := all[i]
		if l.Old > 0 {
			if h.OldLines == 0 {
				h.OldStart = l.Old
			}
			h.OldLines++
		}
		if l.New > 0 {
			if h.NewLines == 0 {
				h.NewStart = l.New
			}
			h.NewLines++
		}
		h.Lines = append(h.Lines, l)
	}
	return hunks
}

// archiveRules returns which rules the archives want to be found, and which detectors have good code.
func archiveRules(t *testing.T) (found map[string]bool, good map[string]bool) {
	found, good = make(map[string]bool), make(map[string]bool)
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		for _, f := range ar.Files {
			if strings.HasPrefix(f.Name, "good") {
				good[name] = true
			}
			if f.Name == "want" {
				for line := range bytes.Lines(f.Data) {
					if w := strings.Fields(string(line)); len(w) > 1 {
						found[w[1]] = true
					}
				}
			}
		}
	}
	return found, good
}
