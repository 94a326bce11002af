package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// trial is one case under way.
type trial struct {
	name    string
	profile string
	base    []edit
	change  []edit
	path    string // the PATH; "" = as it is
	budget  string // "" = that of the profile
	judge   func(o *outcome) (misses, remarks []string)
}

func (d *driver) repository(r *repository, from string) error {
	w, err := copyRepository(from, filepath.Join(d.scratch, r.Name))
	if err != nil {
		return err
	}
	clean := []edit{r.Clean}
	if err := d.warm(r, w); err != nil {
		return err
	}
	for _, t := range r.trials(clean) {
		t.budget = d.budget
		if err := d.trial(r, w, t); err != nil {
			return err
		}
	}
	return d.withoutTool(r, w, clean)
}

// warm runs once on the repository as it is, so that the caches of its tools are filled as they are where people work.
func (d *driver) warm(r *repository, w *work) error {
	if err := w.lay(nil, nil); err != nil {
		return err
	}
	o, err := d.drive(r, w, trial{profile: "quick", budget: "30m"})
	if err == nil {
		fmt.Printf("     %s as it is: %s, %.1fs\n", r.Name, o.word(), o.took.Seconds())
	}
	return err
}

// trials are the cases for which nothing has to be taken away.
func (r *repository) trials(clean []edit) []trial {
	list := []trial{
		{name: "clean quick", profile: "quick", change: clean, judge: passes("")},
		{name: "clean deep", profile: "deep", change: clean, judge: passes("")},
	}
	for i := range r.Faults {
		f := &r.Faults[i]
		beside := slices.Clone(clean)
		for _, e := range f.Edits {
			beside = append(beside, edit{File: e.File, Text: cmp.Or(f.Comment, r.Comment)})
		}
		list = append(list,
			trial{name: f.Kind + " new", profile: f.profile(), change: f.Edits, judge: blocks(f.Issue)},
			trial{name: f.Kind + " old", profile: f.profile(), base: f.Edits, change: beside, judge: passes(f.Old)})
	}
	return list
}

// withoutTool takes a required program or the installed packages away.
func (d *driver) withoutTool(r *repository, w *work, clean []edit) error {
	t := trial{name: "missing", profile: "quick", budget: d.budget, change: clean, judge: misses(r.Missing.Names)}
	if r.Missing.Program != "" {
		var err error
		if t.path, err = pathWithout(r.Missing.Program, filepath.Join(d.scratch, r.Name+"-path")); err != nil {
			return err
		}
	}
	if r.Missing.Folder != "" {
		folder := filepath.Join(w.dir, filepath.FromSlash(r.Missing.Folder))
		if err := os.Rename(folder, folder+"-away"); err != nil {
			return err
		}
		defer os.Rename(folder+"-away", folder)
		if err := w.exclude("*-away"); err != nil {
			return err
		}
	}
	return d.trial(r, w, t)
}

func (d *driver) trial(r *repository, w *work, t trial) error {
	if len(d.cases) > 0 && !slices.ContainsFunc(d.cases, func(name string) bool { return strings.HasPrefix(t.name, name) }) {
		return nil
	}
	if err := w.lay(t.base, t.change); err != nil {
		return err
	}
	before, err := w.state()
	if err != nil {
		return err
	}
	o, err := d.drive(r, w, t)
	if err != nil {
		return err
	}
	after, err := w.state()
	if err != nil {
		return err
	}
	result := row{repository: r.Name, name: t.name, verdict: o.word(), exit: o.exit, took: o.took}
	result.misses, result.remarks = t.judge(o)
	if moved := differences(before, after); len(moved) > 0 {
		result.misses = append(result.misses, fmt.Sprintf("the checkout is not as it was: %.10q", moved))
	}
	d.add(result)
	return nil
}

// pathWithout is the PATH without one program: a folder that has it is replaced by one with links to all the others.
func pathWithout(program, scratch string) (string, error) {
	folders := filepath.SplitList(os.Getenv("PATH"))
	for i, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, program)); err != nil {
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return "", err
		}
		folders[i] = filepath.Join(scratch, fmt.Sprint(i))
		if err := os.MkdirAll(folders[i], 0o755); err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.Name() == program {
				continue
			}
			if err := os.Symlink(filepath.Join(folder, e.Name()), filepath.Join(folders[i], e.Name())); err != nil {
				return "", err
			}
		}
	}
	return strings.Join(folders, string(filepath.ListSeparator)), nil
}

// passes wants PASS, or CONDITIONAL for the one reason that is honest.
func passes(reason string) func(*outcome) (missed, remarks []string) {
	return func(o *outcome) (missed, remarks []string) {
		switch {
		case o.Verdict == "PASS" && o.exit == 0 && len(o.BlockingIssues) == 0:
			return nil, nil
		case reason != "" && o.Verdict == "CONDITIONAL" && slices.ContainsFunc(o.Caveats, regexp.MustCompile(reason).MatchString):
			return nil, o.Caveats
		}
		return o.everything("PASS, exit 0"), nil
	}
}

// blocks wants BLOCK, and of every blocking issue that it is the planted fault.
func blocks(issue string) func(*outcome) (missed, remarks []string) {
	planted := regexp.MustCompile(issue)
	return func(o *outcome) (missed, remarks []string) {
		if o.Verdict != "BLOCK" || o.exit != 1 || len(o.BlockingIssues) == 0 {
			return o.everything("BLOCK, exit 1"), nil
		}
		for _, line := range o.BlockingIssues {
			if !planted.MatchString(line) {
				missed = append(missed, "not what was planted: "+line)
			}
		}
		return missed, o.BlockingIssues
	}
}

// misses wants CONDITIONAL that says what is missing, and the exit code of an incomplete run.
func misses(names string) func(*outcome) (missed, remarks []string) {
	named := regexp.MustCompile(names)
	return func(o *outcome) (missed, remarks []string) {
		if o.Verdict != "CONDITIONAL" || o.exit != 3 || !slices.ContainsFunc(o.Caveats, named.MatchString) {
			return o.everything("CONDITIONAL, exit 3, that says " + names), nil
		}
		return nil, o.Caveats
	}
}
