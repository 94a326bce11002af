package detect

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var leftover = Detector{Name: "leftover", Rules: []*gavel.Rule{ruleBreakpoint, rulePrint}, Run: runLeftover}

var ruleBreakpoint = &gavel.Rule{
	ID:    "hygiene/breakpoint-left",
	Title: "Breakpoint is left in the code",
	Text: "A statement that stops the program for a debugger hangs whatever runs without one, or prints values to whoever looks. The rule fires on added " +
		"lines of JavaScript and TypeScript (debugger), Python (breakpoint, set_trace), Ruby (binding.pry, binding.irb, byebug), Rust (dbg!), PHP (var_dump, " +
		"xdebug_break, dd), Go (runtime.Breakpoint) and C# (Debugger.Break); comments and strings are no finding, and neither is a function of that name.",
	Fix:      "Remove the statement.",
	Before:   "  debugger;\n  return total(order)",
	After:    "  return total(order)",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-489",
}

var rulePrint = &gavel.Rule{
	ID:    "hygiene/debug-print-left",
	Title: "Output for debugging is left in the code",
	Text: "The rule fires on added console.log and console.debug in JavaScript and TypeScript that is no test, script, tool or example, and in other languages " +
		"on prints whose text says that it is for debugging.",
	Fix:      "Remove the output, or write it through the program's log at the level for debugging.",
	Before:   "  console.log(\"order\", order)",
	After:    "  log.debug({ order })",
	Severity: gavel.Info, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceLow, CWE: "CWE-489",
}

var leftoverWords = sync.OnceValue(func() *needles {
	return newNeedles("debugger", "breakpoint(", "set_trace", "binding.pry", "binding.irb", "byebug", "dbg!(", "var_dump", "xdebug_break", "dd(", "Breakpoint()", "Debugger.Break",
		"console.log", "console.debug", "System.out.print", "print(", "Print", "puts ", "println")
})

// breakpoints are the statements by the family of the language.
var breakpoints = sync.OnceValue(func() map[string]pattern {
	return map[string]pattern{
		"javascript": compiled(`(?:^|[;{}]|\))\s*(debugger)\s*(?:;|$|\})`),
		"python":     compiled(`(?:^|[;:])\s*(?:import \w+\s*;\s*)?(breakpoint\(\)|(?:i?pdb|pudb|wdb)\.set_trace\(|__import__\(['"]i?pdb)`),
		"ruby":       compiled(`(?:^|[;{|])\s*(?:require ['"][\w/-]+['"]\s*;\s*)?(binding\.(?:pry|irb|break)|byebug)\b\s*(?:$|[;#}]|if |unless )`),
		"rust":       compiled(`(?:^|[^\w:!])(dbg!)\(`),
		"php":        compiled(`(?:^|[;{}(?]|php)\s*(var_dump|xdebug_break|dd)\(`),
		"go":         compiled(`^\s*(runtime\.Breakpoint)\(\)`),
		"c#":         compiled(`^\s*(?:System\.Diagnostics\.)?(Debugger\.Break)\(\)`),
	}
})

var debugText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:fmt\.Print(?:ln|f)?|(?:^|[^\w.])print(?:ln!?)?|eprintln!|System\.out\.print(?:ln|f)?|Console\.WriteLine|(?:^|\s)puts|std::cout)\s*[( <]+\s*[fF]?["'` + "`" + `]\s*[-=*#>!<\[]*\s*(?i:debug\b|dbg\b|xxx|here\b|got here|wtf|foo\b|bar\b|>>>|\*\*\*\*|====)`)
})

var consoleCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w.$])(console\.(?:log|debug))\(`)
})

func runLeftover(p *Pass) {
	if !p.Lang.Program {
		return
	}
	fam := family(p.Lang)
	breakpoint := breakpoints()[fam]
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if len(l.Text) > nearBytes || !leftoverWords().in(l.Text) || p.moved(l) {
			return
		}
		if breakpoint != nil {
			if m := breakpoint().FindStringSubmatchIndex(l.Text); m != nil && p.kindAt(l.New, m[2]) == code.Ident {
				p.Report(ruleBreakpoint, place(l, m[2], m[3]-m[2]), l.Text[m[2]:m[3]]+" stops or prints for a debugger.")
				return
			}
		}
		p.printLeft(fam, l)
	})
}

func (p *Pass) printLeft(fam string, l *gavel.Line) {
	if p.Test || code.IsFixture(p.File.Path) || prints(p.File.Path) {
		return
	}
	if fam == "javascript" {
		if m := consoleCall().FindStringSubmatchIndex(l.Text); m != nil && p.kindAt(l.New, m[2]) == code.Ident {
			p.Report(rulePrint, place(l, m[2], m[3]-m[2]), l.Text[m[2]:m[3]]+" writes to the console of whoever runs the code.")
		}
		return
	}
	if m := debugText().FindStringIndex(l.Text); m != nil && p.kindAt(l.New, m[0]+len(l.Text[m[0]:m[1]])-len(strings.TrimLeft(l.Text[m[0]:m[1]], " \t;{("))) == code.Ident {
		p.Report(rulePrint, place(l, m[0], m[1]-m[0]), "The text of the output says that it is for debugging.")
	}
}

// prints reports whether the path is one of scripts, tools and settings, which may write to the console.
func prints(file string) bool {
	base := strings.ToLower(path.Base(file))
	if strings.Contains(base, ".config.") || strings.Contains(base, "cli") || strings.Contains(base, "log") || strings.Contains(base, "gulpfile") || strings.HasSuffix(base, ".mjs") || strings.HasPrefix(base, ".") {
		return true
	}
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(file)), "/") {
		switch part {
		case "scripts", "script", "bin", "tools", "tool", "examples", "example", "cli", "cmd", "docs", "doc", "demo", "demos", "benchmark", "benchmarks", "bench", "build", "tasks", "migrations", "playground", ".github":
			return true
		}
	}
	return false
}
