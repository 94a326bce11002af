package check

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The limits of one call with a list of files. Systems allow more; Linux takes 128 KiB for a single string, and at
// least that much for all of them.
const (
	maxFileArgs  = 1000
	maxFileBytes = 96 << 10
)

// call is one start of a tool.
type call struct {
	argv     []string
	report   string // private file that the arguments name, "" = none
	prepares bool   // it has to succeed, and reports nothing
}

// calls makes the starts of a check out of its argument lines: one for each batch of files, and one for each
// configuration that a line names.
func (p *Planned) calls(env *RunEnv, scratch string, tools map[string]Tool) []call {
	var calls []call
	lines := p.Check.Argv
	for i, line := range lines {
		for _, files := range batches(p.Files, slices.Contains(line, "{files}")) {
			for _, config := range p.configsFor(line) {
				n := strconv.Itoa(len(calls))
				report := filepath.Join(scratch, "report-"+n)
				x := expansion{env: env, files: files, config: config, report: report, state: filepath.Join(scratch, "state-"+n)}
				argv := p.expand(line, x)
				argv[0] = tools[line[0]].Path
				calls = append(calls, call{argv: argv, report: report, prepares: i < len(lines)-1})
			}
		}
	}
	return calls
}

// configsFor are the configurations that a line is repeated for: one time without any where it names none.
func (p *Planned) configsFor(line []string) []string {
	if !slices.Contains(line, "{config}") || len(p.Configs) == 0 {
		return []string{""}
	}
	return p.Configs
}

// batches cuts a list of files into as few parts as fit.
func batches(files []string, wanted bool) [][]string {
	if !wanted {
		return [][]string{nil}
	}
	var out [][]string
	size, from := 0, 0
	for i, f := range files {
		if i > from && (i-from == maxFileArgs || size+len(f) > maxFileBytes) {
			out, size, from = append(out, files[from:i]), 0, i
		}
		size += len(f) + 16 // for "./", the NUL and a pointer
	}
	return append(out, files[from:])
}

type expansion struct {
	env                   *RunEnv
	files                 []string
	config, report, state string
}

// expand replaces the placeholders of a line. Each stands for one or more whole arguments, or for none.
func (p *Planned) expand(line []string, x expansion) []string {
	argv := make([]string, 0, len(line)+len(x.files))
	for _, arg := range line {
		switch arg {
		case reportPlaceholder:
			argv = append(argv, x.report)
		case "{repo}":
			argv = append(argv, x.env.Root)
		case "{base}":
			argv = append(argv, x.env.Base)
		case "{state}":
			argv = append(argv, x.state)
		case "{config}":
			argv = append(argv, p.relative(x.config))
		case "{paths}":
			argv = append(argv, p.paths...)
		case "{locked}":
			if p.isLocked(x.env.Root) {
				argv = append(argv, "--locked")
			}
		case "{files}":
			for _, f := range x.files {
				argv = append(argv, p.relative(f))
			}
		default:
			argv = append(argv, arg)
		}
	}
	return argv
}

// relative is a path of the tree as seen from the folder of the check. It never looks like an option.
func (p *Planned) relative(file string) string {
	if file == "" {
		return "."
	}
	if p.Project == "" {
		return "./" + file
	}
	if rest, ok := strings.CutPrefix(file, p.Project+"/"); ok {
		return "./" + rest
	}
	up := strings.Repeat("../", strings.Count(p.Project, "/")+1)
	return up + file
}

// isLocked reports whether the folder of the check has its stack's lock file.
func (p *Planned) isLocked(root string) bool {
	row := stackNamed(p.Check.Stack)
	return row != nil && slices.ContainsFunc(row.Locks, func(name string) bool {
		_, err := os.Lstat(join(root, path.Join(p.Project, name)))
		return err == nil
	})
}
