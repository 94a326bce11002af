package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gavel-review/gavel"
)

// finding is one line of findings.jsonl.
type finding struct {
	File     string `json:"file"` // relative to the folder of the data
	Line     int    `json:"line"`
	EndLine  int    `json:"end_line"`
	Kind     string `json:"kind"` // the rule
	Severity string `json:"severity,omitempty"`
	Category string `json:"category,omitempty"`
}

// runGavel builds the program and runs it over every set as a user would.
func runGavel(data string, s *sets) ([]finding, error) {
	dir, err := os.MkdirTemp("", "gavel-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	g := program{path: filepath.Join(dir, "gavel"), data: data}
	build := exec.Command("go", "build", "-trimpath", "-o", g.path, "./cmd/gavel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %s", out)
	}
	g.env = append(os.Environ(), "GAVEL_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	for _, set := range []string{setCred, setFlaky, setSnippets, setRisky} {
		if _, err := os.Stat(filepath.Join(data, set)); err != nil {
			continue
		}
		if err := g.scan(set); err != nil {
			return nil, fmt.Errorf("%s: %w", set, err)
		}
	}
	if err := g.scanSamples(filepath.Join(dir, "samples"), s.samples); err != nil {
		return nil, fmt.Errorf("%s: %w", setSamples, err)
	}
	for _, n := range s.noise {
		if err := g.reviewDiff(setNoise + "/" + n.Diff); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Diff, err)
		}
	}
	return g.found, nil
}

type program struct {
	path, data string
	env        []string
	found      []finding
}

// document runs the program in dir and returns the findings of its document.
func (g *program) document(dir string, args ...string) ([]gavel.Finding, error) {
	cmd := exec.Command(g.path, append(args, "--json", "--quiet")...)
	cmd.Dir, cmd.Env = dir, g.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 3) {
		return nil, fmt.Errorf("%w: %s", err, errs.String())
	}
	var doc gavel.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return nil, fmt.Errorf("%w: %s", err, errs.String())
	}
	return doc.Findings, nil
}

// counted reports whether the set is about what the finding is about.
func counted(set string, f *gavel.Finding) bool {
	switch set {
	case setCred, setSamples:
		return f.Category == gavel.CategorySecret
	case setFlaky, setSnippets:
		return f.Category == gavel.CategoryFlaky || f.Rule == "hygiene/focused-test" || f.Rule == "hygiene/skipped-test"
	case setRisky:
		return f.Category == gavel.CategoryRisk || f.Category == gavel.CategorySecret || f.Rule == "hygiene/bidi-control"
	}
	return true
}

func (g *program) add(set, file string, f *gavel.Finding) {
	if counted(set, f) {
		g.found = append(g.found, finding{file, f.Line, max(f.Line, f.LineEnd), f.Rule, f.Severity.String(), string(f.Category)})
	}
}

func (g *program) scan(set string) error {
	findings, err := g.document(g.data, "scan", set)
	for i := range findings {
		g.add(set, findings[i].File, &findings[i])
	}
	return err
}

// scanSamples scans each sample as a file of its own, in a folder of its own.
func (g *program) scanSamples(dir string, samples []sample) error {
	if len(samples) == 0 {
		return nil
	}
	for _, s := range samples {
		path := filepath.Join(dir, s.ID, "sample.txt")
		if s.Path != "" {
			path = filepath.Join(dir, s.ID, filepath.Clean("/"+s.Path))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(s.Text), 0o644); err != nil {
			return err
		}
	}
	findings, err := g.document(dir, "scan", ".")
	for i := range findings {
		id, _, _ := strings.Cut(findings[i].File, "/")
		g.add(setSamples, setSamples+"/"+id, &findings[i])
	}
	return err
}

func (g *program) reviewDiff(path string) error {
	findings, err := g.document(g.data, "review", "--patch", path)
	for i := range findings {
		g.add(setNoise, path, &findings[i])
	}
	return err
}

func atLeastMedium(found []finding) []finding {
	var kept []finding
	for _, f := range found {
		switch f.Severity {
		case "critical", "high", "medium":
			kept = append(kept, f)
		}
	}
	return kept
}

func readFindings(path string) ([]finding, error) {
	var found []finding
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	err := readLines(path, &found)
	for i := range found {
		found[i].EndLine = max(found[i].Line, found[i].EndLine)
	}
	return found, err
}

func writeFindings(path string, found []finding) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for i := range found {
		if err := enc.Encode(&found[i]); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
