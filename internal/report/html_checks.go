package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// unmeasured are the checks that apply and came to no result.
func unmeasured(checks []CheckLine) []*CheckLine {
	var out []*CheckLine
	for i := range checks {
		switch checks[i].Status {
		case gavel.CheckNoScan, gavel.CheckError:
			out = append(out, &checks[i])
		}
	}
	return out
}

func (v *runPage) checks() {
	checks := v.outline.checks
	t := v.table("Every check, and what it came to", "status", "check", "findings", "remarks", "time", "tool", "output")
	for i := range checks[:min(len(checks), maxHTMLRows)] {
		k := &checks[i]
		t.row(
			func() { v.leaf("span", statusWord(k.Status), class(checkClass(k.Status))) },
			func() { v.checkName(k) },
			v.word(k.ages()), v.word(strings.Join(k.remarks(false), ", ")), v.word(shortTime(k.Duration)), v.word(k.Tool),
			v.log(k),
		)
	}
	t.close()
	v.leftOver(len(checks), "check")
}

func checkClass(s gavel.CheckStatus) name {
	switch s {
	case gavel.CheckPass:
		return "badge good"
	case gavel.CheckFail, gavel.CheckError:
		return "badge bad"
	case gavel.CheckNoScan:
		return "badge careful"
	}
	return "badge"
}

func (v *runPage) checkName(k *CheckLine) {
	v.leaf("code", k.ID)
	if k.Title != "" && k.Title != k.ID {
		v.WriteByte(' ')
		v.leaf("bdi", k.Title, class("title"))
	}
}

// log refers to what the check said, where the pack holds it.
func (v *runPage) log(k *CheckLine) func() {
	if k.Log == "" || !slices.Contains(v.run.Files, k.Log) {
		return nil
	}
	return func() {
		v.start("a", packFile(k.Log), attr{"aria-label", "output of " + clip(k.ID, listedBytes)})
		v.WriteString("log")
		v.end()
	}
}

// testGroup are the tests of a check that came out alike.
type testGroup struct {
	title string
	names []string
}

func (k *CheckLine) testGroups() []testGroup {
	return []testGroup{{"newly failing", k.Failing}, {"still failing", k.Still}, {"fixed", k.Fixed}, {"removed", k.Removed}}
}

func countTests(checks []CheckLine) int {
	n := 0
	for i := range checks {
		for _, g := range checks[i].testGroups() {
			n += len(g.names)
		}
	}
	return n
}

func (v *runPage) tests() {
	shown, left := 0, 0
	for i := range v.outline.checks {
		k := &v.outline.checks[i]
		n := countTests(v.outline.checks[i : i+1])
		if n == 0 {
			continue
		}
		if shown++; shown > maxHTMLLines {
			left += n
			continue
		}
		v.start("h3")
		v.leaf("code", k.ID)
		v.end()
		for _, g := range k.testGroups() {
			v.testGroup(g)
		}
	}
	if left > 0 {
		v.leaf("p", plural(left, "test")+" more: see the pack's other files.", class("more"))
	}
}

func (v *runPage) testGroup(g testGroup) {
	if len(g.names) == 0 {
		return
	}
	v.leaf("h4", fmt.Sprintf("%s: %d", g.title, len(g.names)))
	v.start("ul")
	for i, test := range g.names {
		if i == maxHTMLLines {
			v.leaf("li", more(len(g.names)-i), class("more"))
			break
		}
		v.start("li")
		v.leaf("code", test)
		v.end()
	}
	v.end()
}
