package detect

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
)

var riskWorkflow = sync.OnceValue(func() *riskPack {
	uses := regexp.MustCompile(`^\s*-?\s*(?:"uses"|uses)\s*:\s*["']?([\w.-]+/[\w./-]+)@([\w./-]+)`)
	input := regexp.MustCompile(`\$\{\{[^}]*\bgithub\.(?:event\.(?:issue|pull_request|comment|review|review_comment|discussion|head_commit|commits|pages|workflow_run|client_payload|inputs)\b[\w.\[\]*-]*|head_ref)\b?[^}]*\}\}`)
	pull := regexp.MustCompile(`\$\{\{[^}]*(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref|github\.event\.workflow_run\.head_(?:sha|branch)|github\.event\.number|github\.event\.pull_request\.number)[^}]*\}\}`)
	return &riskPack{words: newNeedles("uses", "github.event", "github.head_ref", "curl", "wget", "write-all", "pull_request_target", "ref:"), line: func(p *Pass, l *gavel.Line) {
		text := strings.TrimSuffix(l.Text, "\r")
		if strings.HasPrefix(strings.TrimSpace(text), "#") || len(text) > 4000 {
			return
		}
		if m := uses.FindStringSubmatchIndex(text); m != nil {
			workflowUses(p, l, text[m[2]:m[3]], text[m[4]:m[5]], m[2])
		}
		if at := pull.FindStringIndex(text); at != nil && strings.HasPrefix(strings.TrimLeft(text, " -"), "ref:") && workflowTrusted(p) {
			p.Report(ruleTargetCheckout, place(l, at[0], at[1]-at[0]), "The code of the pull request is checked out in a job that has this repository's secrets and may write to it.")
			return
		}
		if at := input.FindStringIndex(text); at != nil && workflowTaint(text[at[0]:at[1]]) && workflowRuns(p, l) {
			p.Report(ruleWorkflowScript, place(l, at[0], at[1]-at[0]), "Whoever opens the issue or the pull request writes a part of this script.")
		}
		if at := pipeToShell().FindStringIndex(text); at != nil {
			p.Report(rulePipe, place(l, at[0], at[1]-at[0]), pipeMessage)
		}
		if i := strings.Index(text, "write-all"); i >= 0 && strings.Contains(text, "permissions") {
			p.Report(ruleGrant, place(l, i, len("write-all")), "The job's token may do everything.").Severity = gavel.Low
		}
	}}
})

// workflowTaint reports whether an outsider chooses the text of the expression: titles, bodies, names of branches.
func workflowTaint(expr string) bool {
	for _, w := range []string{".title", ".body", "head_ref", ".head.ref", ".label", ".message", ".email", ".name", "page_name", ".default_branch", "client_payload", ".inputs", "head_branch"} {
		if strings.Contains(expr, w) {
			return !strings.Contains(expr, "repository.name") && !strings.Contains(expr, "toJSON") || strings.Contains(expr, "head_ref")
		}
	}
	return false
}

var commitHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

func workflowUses(p *Pass, l *gavel.Line, action, ref string, at int) {
	if commitHash().MatchString(ref) {
		return
	}
	f := p.Report(ruleUnpinned, place(l, at, len(action)+1+len(ref)), "Whoever can move the tag "+ref+" of "+action+" runs code with this job's secrets.")
	if strings.HasPrefix(action, "actions/") || strings.HasPrefix(action, "github/") {
		f.Severity = gavel.Info
	}
}

// workflowTrusted reports whether the workflow is started by others' pull requests with this repository's rights.
func workflowTrusted(p *Pass) bool {
	text := p.Source().Text
	return strings.Contains(text, "pull_request_target") || strings.Contains(text, "workflow_run") || strings.Contains(text, "issue_comment")
}

// workflowRuns reports whether the line belongs to a script: on the line of "run:" or in the block below it.
func workflowRuns(p *Pass, l *gavel.Line) bool {
	src := p.Source()
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	own := strings.TrimLeft(l.Text, " -")
	if strings.HasPrefix(own, "run:") || strings.HasPrefix(own, "script:") {
		return true
	}
	depth := indent(l.Text)
	for n := l.New - 1; n > 0 && l.New-n < 300; n-- {
		s := src.Line(n)
		if strings.TrimSpace(s) == "" || indent(s) >= depth {
			continue
		}
		depth = indent(s)
		head := strings.TrimLeft(s, " -")
		if strings.HasPrefix(head, "run:") || strings.HasPrefix(head, "script:") {
			return true
		}
		if strings.HasSuffix(strings.TrimSpace(head), ":") || strings.Contains(head, ": ") {
			return false
		}
	}
	return false
}
