package main

import (
	"strings"

	"github.com/gavel-review/gavel/internal/check"
)

func stacksPage(*source) (string, error) {
	var b strings.Builder
	b.WriteString("`gavel health` names the stack of a repository (`deps_repo.profile`) by the manifests that git tracks or would track. " +
		"Those nearest to the top decide: the ones in deeper folders are not looked at where a higher folder has one. " +
		"Manifests in vendored code and among tests never count.\n\n")
	rows := make([][]string, 0, len(check.Stacks)+2)
	for _, s := range check.Stacks {
		rows = append(rows, []string{quote(s.Name), quoteAll(s.Manifests)})
	}
	rows = append(rows,
		[]string{quote(check.StackMixed), "several of them"},
		[]string{quote(check.StackGeneric), "none of them"})
	table(&b, []string{"profile", "manifests"}, rows)
	return b.String(), nil
}
