package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// label is one judged place of a file; which fields are set depends on the set.
type label struct {
	Line     int    `json:"line"`
	EndLine  int    `json:"end_line"`
	Label    string `json:"label"`    // secrets: T, F or X
	Category string `json:"category"` // secrets
	Kind     string `json:"kind"`     // flaky
	Strength string `json:"strength"` // flaky: strong, weak or poll
	Rule     string `json:"rule"`     // risky: the source's own code
}

type credFile struct {
	File    string  `json:"file"`
	License string  `json:"license"`
	Labels  []label `json:"labels"`
}

type sample struct {
	ID    string `json:"id"`
	Rule  string `json:"rule"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Path  string `json:"path"`
}

type flakyCase struct {
	ID     string  `json:"id"`
	Lang   string  `json:"lang"`
	Repo   string  `json:"repo"`
	Flaky  string  `json:"flaky"`
	Fixed  string  `json:"fixed"`
	Labels []label `json:"labels"`

	before, after changed // lines that the fix replaced, and those that it put in their place
}

type riskyFile struct {
	File      string  `json:"file"`
	Lang      string  `json:"lang"`
	Source    string  `json:"source"`
	LabelKind string  `json:"label_kind"`
	Rule      string  `json:"rule"`
	Expected  int     `json:"expected"`
	Labels    []label `json:"labels"`
}

// codes are the source's codes that the file was labelled for.
func (f *riskyFile) codes() []string {
	var all []string
	if f.Rule != "" {
		all = append(all, f.Rule)
	}
	for _, l := range f.Labels {
		if !slices.Contains(all, l.Rule) {
			all = append(all, l.Rule)
		}
	}
	return all
}

type noiseDiff struct {
	Diff string `json:"diff"`
}

// The names of the sets, which are their folders.
const (
	setCred     = "secrets/creddata"
	setSamples  = "secrets/rule-samples"
	setFlaky    = "flaky"
	setSnippets = "flaky-snippets"
	setRisky    = "risky"
	setNoise    = "noise"
)

type sets struct {
	cred     []credFile
	samples  []sample
	flaky    []flakyCase
	snippets []flakyCase
	risky    []riskyFile
	noise    []noiseDiff
	codes    map[string][]string // of our rules: the sources' codes that mean the same
}

func readSets(root string) (*sets, error) {
	var s sets
	err := errors.Join(
		readLines(filepath.Join(root, setCred, "labels.jsonl"), &s.cred),
		readLines(filepath.Join(root, setSamples, "samples.jsonl"), &s.samples),
		readLines(filepath.Join(root, setFlaky, "labels.jsonl"), &s.flaky),
		readLines(filepath.Join(root, setSnippets, "labels.jsonl"), &s.snippets),
		readLines(filepath.Join(root, setRisky, "labels.jsonl"), &s.risky),
		readLines(filepath.Join(root, setNoise, "index.jsonl"), &s.noise),
	)
	if err != nil {
		return nil, err
	}
	if len(s.cred)+len(s.samples)+len(s.flaky)+len(s.risky)+len(s.noise) == 0 {
		return nil, fmt.Errorf("%s holds no labelled data", root)
	}
	for set, cases := range map[string][]flakyCase{setFlaky: s.flaky, setSnippets: s.snippets} {
		for i := range cases {
			if err := cases[i].compare(filepath.Join(root, set)); err != nil {
				return nil, err
			}
		}
	}
	s.codes, err = readCodes("test/eval/risky_rules.txt")
	return &s, err
}

// readLines reads JSON lines; a set that is not there is empty.
func readLines[T any](path string, into *[]T) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		*into = append(*into, v)
	}
	return in.Err()
}

func (c *flakyCase) compare(root string) error {
	before, err := os.ReadFile(filepath.Join(root, c.Flaky))
	if err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(root, c.Fixed))
	if err != nil {
		return err
	}
	c.before, c.after = compareLines(strings.Split(string(before), "\n"), strings.Split(string(after), "\n"))
	return nil
}

// readCodes reads which of the sources' codes our rules stand for: one rule a line, with the codes behind it. "#" begins a
// comment. Without the file no finding of a risk rule is judged.
func readCodes(path string) (map[string][]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	codes := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,=:", r) })
		var ours, theirs []string
		for _, w := range words {
			if strings.Contains(w, "/") {
				ours = append(ours, w)
			} else {
				theirs = append(theirs, w)
			}
		}
		for _, rule := range ours {
			codes[rule] = append(codes[rule], theirs...)
		}
	}
	return codes, err
}
