package check

import (
	"os"
	"path"
	"slices"

	"github.com/gavel-review/gavel"
)

// On moves a planned check to another tree: the merge base, where files may have had other names or may not have been
// there at all. A check that has nothing to look at there passes, because whatever it finds on the head is new. why says
// why the check cannot be moved.
func (p Planned) On(env RunEnv) (on Planned, why string) {
	if info, err := os.Stat(join(env.Root, p.Project)); err != nil || !info.IsDir() {
		p.absent = true
		return p, ""
	}
	if row := stackNamed(p.Check.Stack); row != nil && p.Check.Place == placeProject && !hasAny(env.Root, p.Project, row.Manifests) {
		p.absent = true
		return p, ""
	}
	if p.Check.Scope == ScopeChangedFiles {
		p.Files = p.filesOn(env.Root)
		p.absent = len(p.Files) == 0
	}
	var configs []string
	for _, c := range p.Configs {
		if _, err := os.Lstat(join(env.Root, c)); err == nil {
			configs = append(configs, c)
		}
	}
	if len(p.Configs) > 0 && len(configs) == 0 && !p.absent {
		return p, "it was configured otherwise there: " + p.Configs[0] + " is not there"
	}
	p.Configs = configs
	return p, ""
}

func hasAny(root, dir string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, err := os.Lstat(join(root, path.Join(dir, n)))
		return err == nil
	})
}

// filesOn are the files of the check that the tree has, by the names that they have there.
func (p *Planned) filesOn(root string) []string {
	var files []string
	for _, f := range p.Files {
		if old, ok := p.renames[f]; ok {
			f = old
		}
		if info, err := os.Lstat(join(root, f)); err == nil && info.Mode().IsRegular() {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Rename gives the findings and tests of a base the paths that their files have on the head. renames leads from a path
// of the base to that of the head. A fingerprint holds the path, so that a renamed finding has none any more, and is
// recognised by its words.
func (o *Outcome) Rename(renames map[string]string) {
	for i := range o.Findings {
		if to, ok := renames[o.Findings[i].File]; ok {
			o.Findings[i].File, o.Findings[i].Fingerprint = to, ""
		}
	}
	for i := range o.Tests {
		if to, ok := renames[o.Tests[i].File]; ok {
			o.Tests[i].File = to
		}
	}
}

// Compare tells what is new on the head from what the base had, and writes it into head. base is nil where there is
// nothing to compare with; why is the reason then. Findings are compared as a multiset of fingerprints, tests by name.
// A finding on a changed line is new without being compared, unless the base has it too; see [Finding.Scope], which the
// caller has filled in. A base that measured nothing compares with nothing.
func Compare(head, base *Outcome, why string) {
	if base != nil && base.Status != gavel.CheckPass && base.Status != gavel.CheckFail {
		base, why = nil, orWord(why, "on the base: "+string(base.Status)+" "+string(base.Reason))
	}
	head.BaselineDetail = ""
	switch {
	case head.Status != gavel.CheckPass && head.Status != gavel.CheckFail:
		head.Baseline = gavel.BaselineUnknown
		head.BaselineDetail = "it measured nothing"
		return
	case base == nil:
		head.withoutBase(why)
	default:
		head.against(base)
	}
}

// withoutBase knows only that what stands on a changed line is new.
func (o *Outcome) withoutBase(why string) {
	o.Baseline = gavel.BaselineNew
	for i := range o.Findings {
		f := &o.Findings[i]
		f.Baseline = gavel.BaselineUnknown
		if f.Scope == gavel.ScopeChangedLine && len(o.Tests) == 0 {
			f.Baseline = gavel.BaselineNew
		} else {
			o.Baseline = gavel.BaselineUnknown
		}
	}
	if o.Status == gavel.CheckFail && len(o.Findings) == 0 {
		o.Baseline = gavel.BaselineUnknown
	}
	if o.Baseline == gavel.BaselineUnknown {
		o.BaselineDetail = orWord(why, "it was not compared with the base")
	}
}

func (o *Outcome) against(base *Outcome) {
	exact, loose := make(map[string]int), make(map[looseKey]int)
	for i := range base.Findings {
		if f := &base.Findings[i]; f.Fingerprint != "" {
			exact[f.Fingerprint]++
		} else {
			loose[looseKeyOf(f)]++
		}
	}
	fresh := 0
	for _, i := range o.unchangedLinesFirst() {
		f := &o.Findings[i]
		key := looseKeyOf(f)
		switch {
		case exact[f.Fingerprint] > 0:
			exact[f.Fingerprint]--
			f.Baseline = gavel.BaselineUnchanged
		case loose[key] > 0:
			loose[key]--
			f.Baseline = gavel.BaselineUnchanged
		default:
			f.Baseline = gavel.BaselineNew
			fresh++
		}
	}
	o.compareTests(base)
	o.Baseline = gavel.BaselineNew
	if o.Status == gavel.CheckFail && fresh == 0 && base.Status == gavel.CheckFail && (o.TestDelta == nil || len(o.TestDelta.Failing) == 0) {
		o.Baseline = gavel.BaselineUnchanged
	}
}

// unchangedLinesFirst is the order in which findings are matched: where the base had fewer than there are now, it is
// those on changed lines that are new.
func (o *Outcome) unchangedLinesFirst() []int {
	order := make([]int, len(o.Findings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return scopeRank(o.Findings[a].Scope) - scopeRank(o.Findings[b].Scope)
	})
	return order
}

func scopeRank(s gavel.Scope) int {
	switch s {
	case gavel.ScopeChangedLine:
		return 2
	case gavel.ScopeChangedFile:
		return 1
	}
	return 0
}

// looseKey recognises a finding whose file was renamed.
type looseKey struct{ rule, file, title string }

func looseKeyOf(f *gavel.Finding) looseKey { return looseKey{f.Rule, f.File, f.Title} }

// compareTests tells newly failing tests from those that failed before. A test that failed and is gone is removed.
func (o *Outcome) compareTests(base *Outcome) {
	if len(o.Tests) == 0 && len(base.Tests) == 0 {
		return
	}
	now, before := worstByName(o.Tests), worstByName(base.Tests)
	d := &TestDelta{Failing: []string{}, Still: []string{}, Fixed: []string{}, Removed: []string{}}
	for _, name := range sortedKeys(now) {
		switch was := before[name]; {
		case now[name] == gavel.TestFailed && was == gavel.TestFailed:
			d.Still = append(d.Still, name)
		case now[name] == gavel.TestFailed:
			d.Failing = append(d.Failing, name)
		case now[name] == gavel.TestPassed && was == gavel.TestFailed:
			d.Fixed = append(d.Fixed, name)
		}
	}
	for _, name := range sortedKeys(before) {
		if _, here := now[name]; !here {
			d.Removed = append(d.Removed, name)
		}
	}
	o.TestDelta = d
}

// worstByName is the worst outcome of each test: one name may stand for several runs.
func worstByName(tests []gavel.TestResult) map[string]gavel.TestOutcome {
	worst := make(map[string]gavel.TestOutcome, len(tests))
	for i := range tests {
		t := &tests[i]
		if had, ok := worst[t.Name]; !ok || testRank(t.Outcome) > testRank(had) {
			worst[t.Name] = t.Outcome
		}
	}
	return worst
}

func testRank(o gavel.TestOutcome) int {
	return slices.Index([]gavel.TestOutcome{gavel.TestSkipped, gavel.TestPassed, gavel.TestFailed}, o)
}
