package check

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

// cargoMessage is one line of cargo's --message-format=json (The Cargo Book, "External tools").
type cargoMessage struct {
	Reason       string          `json:"reason"`
	PackageID    string          `json:"package_id"`
	ManifestPath string          `json:"manifest_path"`
	Target       cargoTarget     `json:"target"`
	Message      *rustDiagnostic `json:"message"`
	Success      *bool           `json:"success"`
}

type cargoTarget struct {
	Name string   `json:"name"`
	Kind []string `json:"kind"`
	Path string   `json:"src_path"` // absolute
}

// rustDiagnostic is a diagnostic of rustc and clippy (The rustc Book, "JSON Output").
type rustDiagnostic struct {
	Level    string           `json:"level"`
	Message  string           `json:"message"`
	Code     *rustCode        `json:"code"`
	Spans    []rustSpan       `json:"spans"`
	Children []rustDiagnostic `json:"children"`
}

type rustCode struct {
	Code string `json:"code"`
}

type rustSpan struct {
	File        string         `json:"file_name"`
	Line        int            `json:"line_start"`
	End         int            `json:"line_end"`
	Column      int            `json:"column_start"` // 1-based, in characters
	Primary     bool           `json:"is_primary"`
	Label       string         `json:"label"`
	Replacement *string        `json:"suggested_replacement"`
	Text        []rustText     `json:"text"`
	Expansion   *rustExpansion `json:"expansion"`
}

type rustText struct {
	Text string `json:"text"`
}

// rustExpansion says which invocation of a macro a span came out of.
type rustExpansion struct {
	Span rustSpan `json:"span"`
}

// parseCargoJSON reads cargo check, cargo clippy and cargo build with --message-format=json. cargo's last word,
// build-finished, has to be there and has to agree with the exit code; a build that failed has to name an error, because
// a build script that fails or a dependency that cannot be fetched is told on stderr alone.
//
// Errors are high, warnings medium, notes and helps low. What two targets of a package repeat is one finding.
func parseCargoJSON(o Output) (Report, error) {
	c := cargoReader{o: o, targets: map[string]bool{}}
	for n, line := range strings.Split(cleanText(o.Report), "\n") {
		// A line that is no object is what a macro of the repository printed while it was being expanded.
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if err := c.line(line); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return c.report()
}

type cargoReader struct {
	o        Output
	found    []diagnostic
	targets  map[string]bool // what was built, found fresh or complained about
	errors   int
	finished *bool
}

func (c *cargoReader) line(line string) error {
	var kind struct {
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal([]byte(line), &kind); err != nil {
		return fmt.Errorf("not a message of cargo: %w", err)
	}
	switch kind.Reason {
	case "compiler-message", "compiler-artifact", "build-finished":
	default:
		return nil
	}
	var m cargoMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return fmt.Errorf("%s: %w", kind.Reason, err)
	}
	if c.finished != nil {
		return fmt.Errorf("%s after build-finished", m.Reason)
	}
	switch {
	case m.Reason == "build-finished":
		if m.Success == nil {
			return fmt.Errorf("build-finished without success")
		}
		c.finished = m.Success
		return nil
	case c.o.inTree(m.ManifestPath):
		c.targets[m.PackageID+" "+strings.Join(m.Target.Kind, ",")+" "+m.Target.Name] = true
	}
	if m.Reason == "compiler-message" {
		return c.diagnostic(&m)
	}
	return nil
}

func (c *cargoReader) diagnostic(m *cargoMessage) error {
	d := m.Message
	if d == nil || d.Level == "" {
		return fmt.Errorf("compiler-message without a message")
	}
	if strings.Contains(d.Level, "internal compiler error") {
		return fmt.Errorf("the compiler crashed: %s", excerpt(d.Message))
	}
	if d.Level == "failure-note" || d.summary() {
		return nil
	}
	if d.Level == "error" {
		c.errors++
	}
	out := d.diagnostic()
	if s := c.span(m, d.Spans); s != nil {
		out.path, out.line, out.end, out.column = s.File, s.Line, s.End, s.byteColumn()
		out.detail = joinLines(s.Label, out.detail)
	}
	c.found = append(c.found, out)
	return nil
}

// span is the place of a diagnostic: the first primary span in the tree, its path made absolute. A span inside a macro
// of somebody else stands for the invocation that lies in the tree; where none does, the first primary span is it.
func (c *cargoReader) span(m *cargoMessage, spans []rustSpan) *rustSpan {
	var first *rustSpan
	for i := range spans {
		if !spans[i].Primary {
			continue
		}
		for s := &spans[i]; s != nil; {
			at := *s
			at.File = cargoPath(c.o, m, s.File)
			if c.o.inTree(at.File) {
				return &at
			}
			if first == nil {
				first = &at
			}
			if s.Expansion == nil {
				break
			}
			s = &s.Expansion.Span
		}
	}
	return first
}

// cargoPath makes a file name of rustc absolute. rustc runs at the top of the workspace, wherever cargo was started,
// and no message says where that is: it is the folder above the target under which the name leads back to it.
func cargoPath(o Output, m *cargoMessage, name string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	if name == "" || name[0] == '<' { // <anon>, <::core::macros::assert macros>
		return ""
	}
	manifest := filepath.ToSlash(m.ManifestPath)
	for _, file := range []string{filepath.ToSlash(m.Target.Path), manifest} {
		if base, ok := baseAbove(path.Dir(file), name); ok {
			return path.Join(base, name)
		}
	}
	if manifest != "" {
		return path.Join(path.Dir(manifest), name)
	}
	return path.Join(filepath.ToSlash(o.Dir), name)
}

// baseAbove finds the folder above dir from which name leads into dir again: /r/core and core/src/a.rs give /r.
func baseAbove(dir, name string) (string, bool) {
	for i := range len(dir) {
		if dir[i] == '/' && strings.HasPrefix(name, dir[i+1:]+"/") {
			return dir[:max(i, 1)], true
		}
	}
	return "", false
}

// summary reports whether the message only counts the ones before it.
func (d *rustDiagnostic) summary() bool {
	return len(d.Spans) == 0 && d.Code == nil &&
		(strings.HasPrefix(d.Message, "aborting due to ") || strings.HasSuffix(d.Message, " emitted"))
}

func (d *rustDiagnostic) diagnostic() diagnostic {
	out := diagnostic{rule: d.Level, message: d.Message, severity: gavel.Low, category: gavel.CategoryStyle}
	lint := d.Code != nil
	if d.Code != nil && d.Code.Code != "" {
		out.rule = d.Code.Code
		lint = !rustErrorCode(d.Code.Code)
	}
	switch d.Level {
	case "error":
		out.severity = gavel.High
		if !lint {
			out.category = gavel.CategoryBuild
		}
	case "warning":
		out.severity = gavel.Medium
	}
	for i := range d.Children {
		child := &d.Children[i]
		if out.suggestion == "" {
			out.suggestion = child.suggestion()
		}
		// Which finding of a lint carries its level depends on the order, not on the finding.
		if !strings.HasSuffix(child.Message, " on by default") {
			out.detail = joinLines(out.detail, child.Level+": "+child.Message)
		}
	}
	return out
}

// suggestion is what a child proposes to write instead, "" where it only explains.
func (d *rustDiagnostic) suggestion() string {
	var edits []string
	for _, s := range d.Spans {
		if s.Replacement != nil {
			edits = append(edits, strings.TrimSpace(*s.Replacement))
		}
	}
	switch {
	case len(edits) == 0:
		return ""
	case len(edits) == 1 && edits[0] != "":
		return d.Message + ": `" + edits[0] + "`"
	}
	return d.Message
}

// rustErrorCode reports whether a code is one of the compiler's own errors, E0308, and not the name of a lint.
func rustErrorCode(code string) bool {
	return len(code) == 5 && code[0] == 'E' && strings.Trim(code[1:], "0123456789") == ""
}

// byteColumn turns the column, which counts characters, into bytes by the line that the span carries.
func (s *rustSpan) byteColumn() int {
	if len(s.Text) == 0 || s.Column < 1 {
		return max(s.Column, 0)
	}
	line, at := s.Text[0].Text, 0
	for range s.Column - 1 {
		if at >= len(line) {
			return s.Column
		}
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	return at + 1
}

func (c *cargoReader) report() (Report, error) {
	o := c.o
	switch {
	case c.finished == nil:
		return Report{}, fmt.Errorf("cargo did not say build-finished%s", o.said())
	case *c.finished != (o.Exit == 0):
		return Report{}, fmt.Errorf("cargo exited %d beside build-finished success=%t%s", o.Exit, *c.finished, o.said())
	case !*c.finished && c.errors == 0:
		return Report{}, fmt.Errorf("the build failed without an error of the compiler%s", o.said())
	}
	r := Report{Findings: o.unique(c.found), Measured: len(c.targets)}
	if !*c.finished {
		r.Reduced = append(r.Reduced, "the build failed: what depends on the targets with errors was not looked at")
	}
	return r, nil
}
