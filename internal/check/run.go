package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// Runner starts tools, see [proc.Supervisor].
type Runner interface {
	Run(ctx context.Context, t proc.Task) (proc.Exit, error)
}

// RunEnv is the world that a check runs in.
type RunEnv struct {
	Runner   Runner
	Root     string // absolute path of the tree that is judged
	Checkout string // absolute path of the user's checkout, whose installed packages and tools may be used; = Root in place
	Scratch  string // private folder of this run
	Cache    string // private folder that is kept from run to run, for build caches; "" = in Scratch
	Base     string // id of the commit to compare with, for {base}
	Environ  []string
	Now      func() time.Time
	Tools    *Finder // shared by the checks of a run; nil = each looks for itself
}

// The bounds of what is kept of a tool's words, in bytes.
const (
	maxToolOutput = 64 << 20
	maxSaid       = 400
	maxScanned    = 1 << 20 // how much of a stream signals are looked for in, from either end
)

// Run runs a check and says what became of it. It never fails: what cannot be measured is an outcome with a reason.
// Raw output stays in the scratch folder, see Outcome.Outputs.
func (p Planned) Run(ctx context.Context, env RunEnv) Outcome {
	o := p.outcome(env.Now())
	if p.absent {
		o.Status, o.Coverage, o.Detail = gavel.CheckPass, gavel.CoverageFull, "there was nothing to look at"
		return o
	}
	if env.Tools == nil {
		env.Tools = NewFinder()
	}
	r := running{p: &p, env: &env, out: &o}
	r.run(ctx)
	o.Duration = env.Now().Sub(o.Started)
	return o
}

// outcome is what is known before anything ran.
func (p *Planned) outcome(now time.Time) Outcome {
	return Outcome{
		ID: p.ID, Check: p.Check.ID, Project: p.Project, Title: p.Check.Title, Family: p.Check.Family,
		Coverage: gavel.CoverageUnknown, Required: p.Required, Command: [][]string{}, Dir: p.Project, Tools: []Tool{},
		Started: now, Isolation: proc.Isolation(), Findings: []gavel.Finding{},
	}
}

// running is one check under way.
type running struct {
	p       *Planned
	env     *RunEnv
	out     *Outcome
	scratch string
	environ []string
	tools   map[string]Tool
}

// stop ends the check with what it is that kept it from measuring.
func (r *running) stop(status gavel.CheckStatus, reason Reason, format string, args ...any) {
	o := r.out
	o.Status, o.Reason, o.Detail = status, reason, fmt.Sprintf(format, args...)
	o.Coverage, o.Findings, o.Tests = gavel.CoverageUnknown, []gavel.Finding{}, nil
}

func (r *running) run(ctx context.Context) {
	if !r.prepare(ctx) {
		return
	}
	var whole Report
	empty := ""
	measured := false
	for _, c := range r.p.calls(r.env, r.scratch, r.tools) {
		done := r.call(ctx, c)
		if !done.ok {
			return
		}
		if done.nothing != "" {
			empty = done.nothing
			continue
		}
		measured = measured || !c.prepares
		whole.Findings = append(whole.Findings, done.report.Findings...)
		whole.Tests = append(whole.Tests, done.report.Tests...)
		whole.Reduced = append(whole.Reduced, done.report.Reduced...)
	}
	if !measured {
		r.stop(gavel.CheckSkip, ReasonNothingToDo, "%s", empty)
		return
	}
	r.conclude(whole)
}

// prepare finds everything that the check needs.
func (r *running) prepare(ctx context.Context) bool {
	p, env := r.p, r.env
	for _, name := range p.Check.Requires.Env {
		if _, ok := lookup(env.Environ, name); !ok {
			r.stop(gavel.CheckNoScan, ReasonEnvMissing, "the environment variable %s is not set", name)
			return false
		}
	}
	if p.Check.WritesTree && env.Root == env.Checkout {
		r.stop(gavel.CheckNoScan, ReasonWouldWrite, "it would write into the checkout")
		return false
	}
	if p.Check.Applies.Git && env.Root != env.Checkout {
		r.stop(gavel.CheckNoScan, ReasonNotConfigured, "it needs a repository around the tree, and this tree is a copy")
		return false
	}
	if !r.findTools(ctx) {
		return false
	}
	if err := p.dependencies(env); err != nil {
		r.stop(gavel.CheckNoScan, ReasonDepsMissing, "%v", err)
		return false
	}
	var err error
	if r.scratch, err = makeScratch(env.Scratch, p.ID); err == nil {
		err = r.makeEnviron()
	}
	if err != nil {
		r.stop(gavel.CheckError, ReasonCrashed, "%v", err)
		return false
	}
	return true
}

func makeScratch(parent, id string) (string, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, Slug(id)+"-")
}

// Slug is an id as the name of a file.
func Slug(id string) string {
	const most = 100
	s := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '@', c == '_':
			return c
		}
		return '_'
	}, id)
	if len(s) > most {
		s = s[:most]
	}
	return s
}

func (r *running) findTools(ctx context.Context) bool {
	r.tools = make(map[string]Tool, len(r.p.tools))
	for _, spec := range r.p.tools {
		t, reason, detail := r.env.Tools.find(ctx, spec, r.env, r.p.Project)
		r.out.Tools = append(r.out.Tools, t)
		if r.asked(spec.Name) && !t.Local {
			// Another version from the PATH is not what the project asks for.
			r.stop(gavel.CheckNoScan, ReasonDepsMissing, "package.json asks for %s, and it is not installed: %s", spec.Name, installNode(r.env.Checkout, r.p.Project))
			return false
		}
		if reason != "" {
			if ctx.Err() != nil {
				r.interrupted(ctx)
				return false
			}
			r.stop(gavel.CheckNoScan, reason, "%s", detail)
			return false
		}
		r.tools[spec.Name] = t
	}
	return true
}

// asked reports whether the project's package.json asks for a tool.
func (r *running) asked(tool string) bool {
	for _, name := range r.p.listed {
		if name == tool {
			return true
		}
	}
	return false
}

// makeEnviron puts a project's own tools first in the PATH, and fills in the check's own variables.
func (r *running) makeEnviron() error {
	extra := make(map[string]string)
	search, _ := lookup(r.env.Environ, "PATH")
	for _, t := range r.tools {
		if t.Local {
			bin := filepath.Dir(t.Path)
			extra["PATH"] = bin + string(filepath.ListSeparator) + search
			if venv := filepath.Dir(bin); filepath.Base(venv) != "node_modules" {
				extra["VIRTUAL_ENV"] = venv
			}
		}
	}
	cache := filepath.Join(r.env.Scratch, "cache")
	if r.env.Cache != "" {
		cache = r.env.Cache
	}
	name := r.p.Check.Serial
	if name == "" {
		name = r.p.Check.ID
	}
	cache = filepath.Join(cache, name)
	for key, value := range r.p.Check.Env {
		if rest, ok := strings.CutPrefix(value, "{cache}"); ok {
			if err := os.MkdirAll(cache, 0o700); err != nil {
				return err
			}
			extra[key] = cache + filepath.FromSlash(rest)
		}
	}
	r.environ = r.p.environ(r.env.Environ, extra)
	return nil
}

// interrupted says that the run ended before the check did.
func (r *running) interrupted(ctx context.Context) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		r.stop(gavel.CheckNoScan, ReasonBudget, "the time for the whole run was up")
		return
	}
	r.stop(gavel.CheckNoScan, ReasonCancelled, "cancelled")
}

// conclude is the end of a check whose reports could be read.
func (r *running) conclude(whole Report) {
	o := r.out
	o.Findings = append(o.Findings, whole.Findings...)
	o.Tests = whole.Tests
	o.Coverage = gavel.CoverageFull
	o.Reduced = append(o.Reduced, whole.Reduced...)
	if len(o.Reduced) > 0 {
		o.Coverage = gavel.CoverageReduced
	}
	o.Status = gavel.CheckPass
	if len(o.Findings) > 0 || failedTests(o.Tests) {
		o.Status = gavel.CheckFail
	}
	for i := range o.Findings {
		o.Findings[i].Source = gavel.SourceCheck
	}
}

func failedTests(tests []gavel.TestResult) bool {
	for i := range tests {
		if tests[i].Outcome == gavel.TestFailed {
			return true
		}
	}
	return false
}

// Complete reports whether the outcome says everything that the check could say of its tree, so that it may be kept.
func (o *Outcome) Complete() bool {
	return (o.Status == gavel.CheckPass || o.Status == gavel.CheckFail) && o.Coverage == gavel.CoverageFull && !o.Capped
}

// matches looks for a pattern in a text, and returns the line where it begins.
func matches(pattern string, text []byte) (line string, ok bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	at := re.FindIndex(text)
	if at == nil {
		return "", false
	}
	from := bytes.LastIndexByte(text[:at[0]], '\n') + 1
	to := len(text)
	if i := bytes.IndexByte(text[at[0]:], '\n'); i >= 0 {
		to = at[0] + i
	}
	return firstLine(string(text[from:to])), true
}

// groupOf is what the first group of a pattern takes of a line.
func groupOf(pattern, line string) string {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return ""
	}
	if m := re.FindStringSubmatch(line); len(m) > 1 {
		return m[1]
	}
	return ""
}
