package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gavel-review/gavel/internal/check"
)

const checksIntro = `What applies is what the repository itself configures, or what its ecosystem cannot do without. Nothing is ever downloaded: a
tool that is not there, or a project whose packages are not installed, is ` + "`noscan`" + ` with a reason. A check runs in every
project that owns a changed file, and its id names the project: ` + "`eslint@packages/web`" + `. Tools are looked for in the
project (` + "`node_modules/.bin`, `.venv/bin`, `venv/bin`" + `, up to the top of the checkout), then in the PATH.

- **applies**: a file or key that configures the tool, in the folder or in one above it; "asked for" is a dependency in
  ` + "`package.json`" + `, "named" a word in the repository's own automation (CI, pre-commit, Makefile).
- **profile**: quick, or deep alone. **required**: whether a run that could not measure it is incomplete without a policy
  saying so: wherever it applies, where a file or key configures it, or not.
- **old or new**: ` + "`lines`" + `: what is on changed lines is new, the merge base is asked about the rest; ` + "`on-base`" + `: what fails
  runs on the merge base too.
- **network**: the tool needs one. **runs code**: the repository's own code is executed.

`

func checksPage(*source) (string, error) {
	var b strings.Builder
	b.WriteString(checksIntro)
	m := check.Builtin()
	for _, stack := range stacksOf(m) {
		fmt.Fprintf(&b, "## %s\n\n", stack)
		var rows, commands [][]string
		for i := range m.Checks {
			c := &m.Checks[i]
			if c.Stack != stack {
				continue
			}
			rows = append(rows, []string{
				quote(c.ID), c.Family, appliesTo(c), string(c.Profile), requiredWhere(c), string(c.Scope), string(c.Comparison),
				network(c), yes(c.ExecutesRepoCode),
			})
			commands = append(commands, []string{quote(c.ID), commandOf(c), quote(c.Report.Format), time.Duration(c.Timeout).String()})
		}
		table(&b, []string{"check", "family", "applies", "profile", "required", "looks at", "old or new", "network", "runs code"}, rows)
		table(&b, []string{"check", "command", "report", "timeout"}, commands)
	}
	return b.String(), nil
}

// stacksOf lists the stacks in the order in which the manifest names them.
func stacksOf(m *check.Manifest) []string {
	var stacks []string
	for i := range m.Checks {
		if s := m.Checks[i].Stack; !slices.Contains(stacks, s) {
			stacks = append(stacks, s)
		}
	}
	return stacks
}

func appliesTo(c *check.Check) string {
	a := &c.Applies
	var parts []string
	if len(a.Files)+len(a.Keys) > 0 {
		parts = append(parts, quoteAll(append(slices.Clone(a.Files), a.Keys...)))
	}
	if len(a.Dependencies) > 0 {
		parts = append(parts, quoteAll(a.Dependencies)+" asked for")
	}
	if len(a.Mentions) > 0 {
		parts = append(parts, quoteAll(a.Mentions)+" named")
	}
	if a.Ecosystem || len(parts) == 0 {
		parts = append([]string{"every " + c.Stack + " project"}, parts...)
	}
	text := strings.Join(parts, "; ")
	if only := append(slices.Clone(a.Extensions), a.Names...); len(only) > 0 {
		text += " (files: " + quoteAll(only) + ")"
	}
	return text
}

func requiredWhere(c *check.Check) string {
	switch c.Required {
	case check.RequiredEcosystem:
		return "yes"
	case check.RequiredConfigured:
		return "where configured"
	}
	return "no"
}

func network(c *check.Check) string {
	if !c.Egress.Any() {
		return ""
	}
	return c.Egress.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func commandOf(c *check.Check) string {
	lines := make([]string, len(c.Argv))
	for i, line := range c.Argv {
		words := slices.Clone(line)
		for j, w := range words {
			if strings.ContainsAny(w, " \"'") {
				words[j] = "…"
			} else if w == "" {
				words[j] = "''"
			}
		}
		lines[i] = quote(strings.Join(words, " "))
	}
	return strings.Join(lines, " then ")
}
