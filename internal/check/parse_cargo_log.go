package check

import (
	"fmt"
	"path"
	"strings"

	"github.com/gavel-review/gavel"
)

// cargoLog is what cargo test says on stderr.
type cargoLog struct {
	units   []string // test programs in the order of their runs
	docs    int      // crates whose documentation is tested; they come last
	failed  int      // programs that failed
	died    map[string]string
	compile []string // "could not compile `ledger-core` (lib test) due to 2 previous errors"
	errors  []diagnostic
}

func readCargoLog(text string) cargoLog {
	c := cargoLog{died: map[string]string{}}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "Running ") && strings.HasSuffix(trimmed, ")"):
			c.units = append(c.units, cargoProgram(trimmed))
		case strings.HasPrefix(trimmed, "Doc-tests "):
			c.docs++
		case strings.HasPrefix(line, "error: could not compile "):
			c.compile = append(c.compile, strings.TrimPrefix(line, "error: "))
		case strings.HasPrefix(line, "error: ") && strings.Contains(line, "test failed, to rerun pass "):
			c.failed++
		case strings.HasPrefix(trimmed, "process didn't exit successfully: ") && len(c.units) > 0:
			// cargo names the program by its path, which is no part of a message that stays the same.
			if j := strings.LastIndex(trimmed, "` ("); j >= 0 {
				c.died[c.units[len(c.units)-1]] = "the process ended before its tests did " + trimmed[j+2:]
			}
		case strings.HasPrefix(line, "error"):
			if d, ok := rustError(lines[i:]); ok {
				c.errors = append(c.errors, d)
			}
		}
	}
	return c
}

// cargoProgram names the program of "Running unittests src/lib.rs (target/debug/deps/ledger_core-4b3a9cdd9f539d51)":
// "ledger_core src/lib.rs".
func cargoProgram(line string) string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "Running "), ")")
	i := strings.LastIndex(line, " (")
	if i < 0 {
		return line
	}
	source := strings.TrimPrefix(strings.TrimPrefix(line[:i], "unittests"), " ")
	program := strings.TrimSuffix(path.Base(strings.ReplaceAll(line[i+2:], `\`, "/")), ".exe")
	if j := strings.LastIndexByte(program, '-'); j > 0 {
		program = program[:j]
	}
	if name := strings.TrimSpace(program + " " + strings.ReplaceAll(source, `\`, "/")); name != "" {
		return name
	}
	return "a test program"
}

// assign gives every block its program. Programs come first, then the documentation tests, of which one crate may have
// several blocks. It reports false, and leaves the blocks without names, where the two do not fit: a program with a
// harness of its own reports in no known form.
func (c *cargoLog) assign(blocks []libtestBlock) bool {
	units := len(c.units)
	rest := len(blocks) - units
	if rest < c.docs || rest > 0 && c.docs == 0 {
		return false
	}
	for i := range blocks[:units] {
		if blocks[i].doc() {
			return false
		}
	}
	for i := range blocks {
		if i < units {
			blocks[i].program, blocks[i].died = c.units[i], c.died[c.units[i]]
		} else {
			blocks[i].program = "docs" // the names of the tests begin with their files
		}
	}
	return true
}

// rustError reads a compiler's error as it is printed for people: its head, and the place under it.
func rustError(lines []string) (diagnostic, bool) {
	d := diagnostic{rule: "error", severity: gavel.High, category: gavel.CategoryBuild}
	head := strings.TrimPrefix(lines[0], "error")
	if code, rest, ok := strings.Cut(head, "]: "); ok && strings.HasPrefix(code, "[") {
		d.rule, head = code[1:], ": "+rest
	}
	message, ok := strings.CutPrefix(head, ": ")
	if !ok {
		return d, false
	}
	d.message = message
	for _, line := range lines[1:min(len(lines), 4)] {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "--> "); ok {
			file, numbers := cutNumbers(at, 2)
			if len(numbers) == 2 {
				d.path, d.line, d.column = file, numbers[0], numbers[1]
				return d, true
			}
		}
	}
	return d, false
}

// cargoTestBuild reports the errors of a build that failed, so that no test ran.
func cargoTestBuild(o Output, log cargoLog) (Report, error) {
	if o.Exit == 0 || len(log.errors) == 0 {
		return Report{}, fmt.Errorf("cargo test exited %d: %s", o.Exit, excerpt(log.compile[0]))
	}
	for i := range log.errors {
		if file := rustFile(o, log.errors[i].path); file != "" {
			log.errors[i].path = path.Join(o.Root, file)
		}
	}
	return Report{Findings: o.unique(log.errors), Reduced: []string{"no test ran: " + excerpt(log.compile[0])}}, nil
}
