package check

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/gavel-review/gavel"
)

// maxTimeout bounds how long a single check may be allowed to take.
const maxTimeout = 2 * time.Hour

// faults finds what is wrong with a manifest that decodes well. It keeps the first fault.
type faults struct {
	name  string
	data  []byte
	first *gavel.Error
}

// add notes a fault at a key. The line is that of the key, or of the nearest table around it that is written down.
func (f *faults) add(key, format string, args ...any) {
	if f.first != nil {
		return
	}
	lines := linesOf(f.data)
	line, at := 0, key
	for line == 0 && at != "" {
		line = lines[at]
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
	f.first = manifestError(f.name, line, "%s: %s", key, fmt.Sprintf(format, args...))
}

func (f *faults) manifest(m *Manifest) {
	switch {
	case m.Version == 0:
		f.add("version", "it is missing; begin the file with: version = %d", ManifestVersion)
	case m.Version != ManifestVersion:
		f.add("version", "%d is not understood (%d is)", m.Version, ManifestVersion)
	case !wellNamed(m.Name):
		f.add("name", "%q is not of the form [a-z0-9][a-z0-9-]*", m.Name)
	}
	f.tools(m)
	ids := make(map[string]bool, len(m.Checks))
	for i := range m.Checks {
		key := "check." + strconv.Itoa(i)
		c := &m.Checks[i]
		if ids[c.ID] {
			f.add(key+".id", "%q is taken", c.ID)
		}
		ids[c.ID] = true
		f.check(key, m, c)
	}
	for _, name := range sortedKeys(m.Groups) {
		for _, id := range m.Groups[name] {
			if !ids[id] {
				f.add("groups."+name, "no check has the id %q", id)
			}
		}
	}
}

func (f *faults) tools(m *Manifest) {
	names := make(map[string]bool, len(m.Tools))
	for i := range m.Tools {
		key, t := "tool."+strconv.Itoa(i), &m.Tools[i]
		switch {
		case t.Name == "" || strings.ContainsAny(t.Name, "/\\\x00"):
			f.add(key+".name", "%q is no name of a program", t.Name)
		case names[t.Name]:
			f.add(key+".name", "%q is taken", t.Name)
		case t.Local != "" && t.Local != localNode && t.Local != localPython && t.Local != localGradle:
			f.add(key+".local", "%q is none of %s, %s, %s", t.Local, localNode, localPython, localGradle)
		}
		names[t.Name] = true
	}
}

func (f *faults) check(key string, m *Manifest, c *Check) {
	c.defaults()
	if !wellNamed(c.ID) {
		f.add(key+".id", "%q is not of the form [a-z0-9][a-z0-9-]*", c.ID)
	}
	f.words(key, c)
	f.argv(key+".argv", c)
	f.report(key+".report", c)
	if t := time.Duration(c.Timeout); t <= 0 || t > maxTimeout {
		f.add(key+".timeout", "%s is not above zero and at most %s", t, maxTimeout)
	}
	for _, code := range c.FindingsExit {
		if code < 1 || code > 255 {
			f.add(key+".findings_exit", "%d is not between 1 and 255", code)
		}
	}
	var ok bool
	if c.Egress, ok = readEgress(c.EgressValue); !ok {
		f.add(key+".egress", `it is "none", "registry" or { hosts = ["..."] }`)
	}
	f.applies(key+".applies", &c.Applies)
	f.signals(key, c)
	for name := range c.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			f.add(key+".env", "%q is no name of a variable", name)
		}
	}
}

// defaults fills in what a manifest need not say.
func (c *Check) defaults() {
	setDefault(&c.Title, c.ID)
	setDefault(&c.Stack, StackAny)
	setDefault(&c.Family, "lint")
	setDefault(&c.Profile, gavel.ProfileQuick)
	setDefault(&c.Scope, ScopeProject)
	setDefault(&c.Place, placeProject)
	setDefault(&c.Comparison, CompareNone)
	if c.Timeout == 0 {
		c.Timeout = Duration(5 * time.Minute)
	}
	if len(c.Requires.Tools) == 0 && len(c.Argv) > 0 && len(c.Argv[0]) > 0 {
		c.Requires.Tools = []string{c.Argv[0][0]}
	}
}

func setDefault[T ~string](to *T, value T) {
	if *to == "" {
		*to = value
	}
}

func (f *faults) words(key string, c *Check) {
	for _, w := range []struct {
		key, word string
		words     []string
	}{
		{"stack", c.Stack, append(stackNames(), StackAny)},
		{"family", c.Family, Families[:]},
		{"profile", string(c.Profile), []string{string(gavel.ProfileQuick), string(gavel.ProfileDeep)}},
		{"required", c.Required, []string{"", RequiredEcosystem, RequiredConfigured}},
		{"scope", string(c.Scope), []string{string(ScopeRepo), string(ScopeProject), string(ScopeChangedFiles)}},
		{"place", c.Place, []string{placeProject, placeConfig}},
		{"comparison", string(c.Comparison), []string{string(CompareLines), string(CompareOnBase), string(CompareNone)}},
	} {
		if !slices.Contains(w.words, w.word) {
			f.add(key+"."+w.key, "%q is none of %s", w.word, strings.Join(w.words, ", "))
		}
	}
}

// reportPlaceholder stands for a private file that the tool writes its report into.
const reportPlaceholder = "{report}"

// placeholders stand for whole arguments.
var placeholders = []string{reportPlaceholder, "{repo}", "{base}", "{files}", "{config}", "{state}", "{locked}", "{paths}"}

func (f *faults) argv(key string, c *Check) {
	if len(c.Argv) == 0 {
		f.add(key, "it is empty")
	}
	for _, line := range c.Argv {
		if len(line) == 0 || line[0] == "" {
			f.add(key, "a line is empty")
			continue
		}
		if !slices.Contains(c.Requires.Tools, line[0]) {
			f.add(key, "%q is not among requires.tools", line[0])
		}
		for _, arg := range line {
			for _, p := range placeholders {
				if strings.Contains(arg, p) && arg != p {
					f.add(key, "%s stands for a whole argument, not for a part of %q", p, arg)
				}
			}
			if strings.ContainsRune(arg, 0) {
				f.add(key, "%q has a NUL", arg)
			}
		}
	}
}

func (f *faults) report(key string, c *Check) {
	r := &c.Report
	switch {
	case r.Stdout == (r.File != ""):
		f.add(key, "either a file or stdout = true")
	case r.File != "" && r.File != reportPlaceholder && (!localPath(r.File) || badPattern(r.File)):
		f.add(key+".file", "%q is not a pattern of files below the folder of the check", r.File)
	}
	if _, ok := ParserFor(r.Format); !ok {
		f.add(key+".format", "%q is none of %s", r.Format, strings.Join(Formats(), ", "))
	}
	named := slices.ContainsFunc(c.Argv, func(line []string) bool { return slices.Contains(line, reportPlaceholder) })
	if named != (r.File == reportPlaceholder) {
		f.add(key, "{report} stands in the arguments exactly if file is {report}")
	}
}

func (f *faults) applies(key string, a *Applies) {
	for _, k := range a.Keys {
		if file, dotted, ok := strings.Cut(k, "#"); !ok || file == "" || dotted == "" || strings.Contains(file, "/") {
			f.add(key+".keys", "%q is not of the form file#key", k)
		}
	}
	for _, n := range a.Files {
		if !localPath(n) {
			f.add(key+".files", "%q is no path in the repository", n)
		}
	}
	for _, n := range a.Names {
		if !localPath(n) || badPattern(n) {
			f.add(key+".names", "%q is no pattern", n)
		}
	}
	if slices.Contains(a.Dependencies, "") || slices.Contains(a.Mentions, "") {
		f.add(key, "a name is empty")
	}
	for _, e := range a.Extensions {
		if len(e) < 2 || e[0] != '.' || strings.Contains(e, "/") {
			f.add(key+".extensions", "%q is no extension", e)
		}
	}
}

func (f *faults) signals(key string, c *Check) {
	for i, s := range c.CoverageSignals {
		at := fmt.Sprintf("%s.coverage_signals.%d", key, i)
		f.pattern(at, s.Pattern)
		if s.Label == "" {
			f.add(at, "label is missing")
		}
	}
	for i, s := range c.Signals {
		at := fmt.Sprintf("%s.signals.%d", key, i)
		re := f.pattern(at, s.Pattern)
		if !slices.Contains(signalReasons, s.Reason) {
			f.add(at, "reason %q is none of %v", s.Reason, signalReasons)
		}
		if s.Module && re != nil && re.NumSubexp() != 1 {
			f.add(at, "the pattern needs exactly one group, which names the module")
		}
	}
}

var signalReasons = []Reason{ReasonToolMissing, ReasonToolBroken, ReasonDepsMissing, ReasonOffline, ReasonNothingToDo}

func (f *faults) pattern(key, pattern string) *regexp.Regexp {
	re, err := regexp.Compile(pattern)
	if err != nil || pattern == "" {
		f.add(key, "pattern %q is no regular expression", pattern)
		return nil
	}
	return re
}

// wellNamed reports whether an id is [a-z0-9][a-z0-9-]*.
func wellNamed(id string) bool {
	return id != "" && id[0] != '-' && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// localPath reports whether a slash-separated path stays in the folder that it starts from.
func localPath(p string) bool {
	return p != "" && p[0] != '/' && path.Clean(p) == p && p != ".." && !strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\\\x00")
}

func badPattern(p string) bool {
	_, err := path.Match(p, "")
	return err != nil
}

// linesOf maps the path of each key to its line. Elements of a list of tables have their number in the path.
func linesOf(data []byte) map[string]int {
	w := lineWalk{data: data, line: 1, lines: make(map[string]int)}
	w.parser.Reset(data)
	prefix, seen := "", make(map[string]int)
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		key, line := w.key(e)
		switch e.Kind {
		case unstable.ArrayTable:
			prefix = key + "." + strconv.Itoa(seen[key])
			seen[key]++
			w.lines[prefix] = line
		case unstable.Table:
			prefix = key
			w.lines[prefix] = line
		case unstable.KeyValue:
			if prefix != "" {
				key = prefix + "." + key
			}
			w.lines[key] = line
		}
	}
	return w.lines
}

// lineWalk counts lines as it goes, once over the whole text.
type lineWalk struct {
	data   []byte
	parser unstable.Parser
	at     int // how far lines have been counted
	line   int
	lines  map[string]int
}

func (w *lineWalk) key(e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if offset := int(n.Raw.Offset); len(parts) == 0 && offset >= w.at && offset <= len(w.data) {
			w.line += bytes.Count(w.data[w.at:offset], []byte("\n"))
			w.at = offset
		}
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), w.line
}
