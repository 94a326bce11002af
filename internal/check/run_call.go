package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// called is what one start of a tool gave. Where it is not ok, the check has been stopped.
type called struct {
	report  Report
	ok      bool
	nothing string // what the tool said where there was nothing for it to look at
}

// call starts a tool once and reads what it reports.
func (r *running) call(ctx context.Context, c call) called {
	o := r.out
	n := strconv.Itoa(len(o.Command))
	stdout, stderr := filepath.Join(r.scratch, "stdout-"+n), filepath.Join(r.scratch, "stderr-"+n)
	o.Command = append(o.Command, c.argv)
	o.Outputs = append(o.Outputs, stdout, stderr)
	before := r.stateOfReports()
	exit, err := r.env.Runner.Run(ctx, proc.Task{
		Argv: c.argv, Dir: join(r.env.Root, r.p.Project), Env: r.environ, Stdout: stdout, Stderr: stderr,
		MaxOutput: maxToolOutput, Timeout: time.Duration(r.p.Check.Timeout),
	})
	o.Exit = nil
	if err == nil && exit.Signal == "" && exit.Code >= 0 {
		o.Exit = &exit.Code
	}
	o.Capped = o.Capped || exit.Capped
	if !r.ended(ctx, exit, err) {
		return called{}
	}
	out := Output{Exit: exit.Code, Root: r.env.Root, Dir: join(r.env.Root, r.p.Project), Check: r.p.Check.ID}
	if out.Stdout, err = readBounded(stdout, maxToolOutput); err == nil {
		out.Stderr, err = readBounded(stderr, maxToolOutput)
	}
	if err != nil {
		r.stop(gavel.CheckNoScan, ReasonReportUnreadable, "what it said cannot be read: %v", err)
		return called{}
	}
	if nothing := r.saidNothing(&out, before); nothing != "" {
		return called{ok: true, nothing: nothing}
	}
	if !r.judgeExit(&out) {
		return called{}
	}
	if c.prepares {
		return called{ok: r.prepared(&out)}
	}
	r.noteCoverage(&out)
	return r.read(&out, c, exit, before)
}

// ended says whether the tool came to an end of its own.
func (r *running) ended(ctx context.Context, exit proc.Exit, err error) bool {
	switch {
	case errors.Is(err, proc.ErrNotFound):
		r.stop(gavel.CheckNoScan, ReasonToolMissing, "%v", err)
	case ctx.Err() != nil || exit.Cancelled:
		r.interrupted(ctx)
	case err != nil:
		r.stop(gavel.CheckError, ReasonCrashed, "it could not be run: %v", err)
	case exit.TimedOut:
		r.stop(gavel.CheckNoScan, ReasonTimedOut, "it was ended after %s", time.Duration(r.p.Check.Timeout))
	case exit.Code < 0 || exit.Signal != "":
		r.stop(gavel.CheckError, ReasonCrashed, "%s ended it", orWord(exit.Signal, "a signal"))
	default:
		return true
	}
	return false
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// judgeExit says whether the exit code is one that leaves a report. A failing tool that says that it measured nothing is
// taken at its word.
func (r *running) judgeExit(out *Output) bool {
	if out.Exit == 0 {
		return true
	}
	for _, s := range r.p.Check.Signals {
		if line, ok := r.signals(out, s); ok && s.Reason != ReasonNothingToDo {
			r.stop(gavel.CheckNoScan, s.Reason, "%s", strings.TrimSuffix(out.shorten(line)+": "+s.Hint, ": "))
			return false
		}
	}
	if slices.Contains(r.p.Check.FindingsExit, out.Exit) {
		return true
	}
	r.stop(gavel.CheckError, ReasonCrashed, "exit code %d: %s", out.Exit, whatItSaid(out))
	return false
}

// saidNothing is the tool's word that there was nothing for it to look at, "" where it did not say so. One module of a
// build may say so while another one reports.
func (r *running) saidNothing(out *Output, before map[string]string) string {
	for _, f := range r.reportFiles() {
		if fileState(f) != before[f] {
			return ""
		}
	}
	for _, s := range r.p.Check.Signals {
		if line, ok := r.signals(out, s); ok && s.Reason == ReasonNothingToDo {
			return out.shorten(line)
		}
	}
	return ""
}

// signals reports whether a signal holds for what the tool said, and in which line. Without exit codes of its own, a
// signal says nothing of a tool that succeeds.
func (r *running) signals(out *Output, s Signal) (line string, ok bool) {
	if len(s.Exit) > 0 && !slices.Contains(s.Exit, out.Exit) || len(s.Exit) == 0 && out.Exit == 0 {
		return "", false
	}
	line, ok = r.said(out, s.Pattern)
	return line, ok && (!s.Module || !r.hasModule(groupOf(s.Pattern, line)))
}

// said looks for a pattern in what the tool said, on either stream, and returns the line that has it.
func (r *running) said(out *Output, pattern string) (line string, ok bool) {
	for _, text := range [][]byte{out.Stderr, out.Stdout} {
		if line, ok = matches(pattern, ends(text)); ok {
			return line, true
		}
	}
	return "", false
}

// ends are the beginning and the end of a long text.
func ends(text []byte) []byte {
	if len(text) <= 2*maxScanned {
		return text
	}
	return append(slices.Clone(text[:maxScanned]), text[len(text)-maxScanned:]...)
}

// whatItSaid is a line of the tool's own words: the first one that speaks of an error, else the first one.
func whatItSaid(out *Output) string {
	for _, text := range [][]byte{out.Stderr, out.Stdout} {
		text = ends(text)
		if line, ok := matches(`(?i)error|fatal|cannot|panic:`, text); ok {
			return out.shorten(line)
		}
		if line := firstLine(string(text)); line != "" {
			return out.shorten(line)
		}
	}
	return "it said nothing"
}

// shorten leaves out the folders of this machine.
func (o *Output) shorten(line string) string {
	return strings.ReplaceAll(line, o.Root+string(filepath.Separator), "")
}

// hasModule reports whether the tree has a module or package of a dotted name.
func (r *running) hasModule(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	if first == "" || strings.ContainsAny(first, `/\`) {
		return true
	}
	for _, d := range upwards(r.p.Project) {
		for _, at := range []string{first, first + ".py", "src/" + first, "src/" + first + ".py", "lib/" + first} {
			if _, err := os.Lstat(join(r.env.Root, path.Join(d, at))); err == nil {
				return true
			}
		}
	}
	return false
}

// prepared says whether a line that prepares came to a good end.
func (r *running) prepared(out *Output) bool {
	if out.Exit == 0 {
		return true
	}
	r.stop(gavel.CheckError, ReasonCrashed, "preparing, exit code %d: %s", out.Exit, whatItSaid(out))
	return false
}

func (r *running) noteCoverage(out *Output) {
	for _, s := range r.p.Check.CoverageSignals {
		if _, ok := r.said(out, s.Pattern); ok && !slices.Contains(r.out.Reduced, s.Label) {
			r.out.Reduced = append(r.out.Reduced, s.Label)
		}
	}
}

// read reads the report of one call. Exit code and report have to agree: a tool that fails and reports nothing wrong is
// an error.
func (r *running) read(out *Output, c call, exit proc.Exit, before map[string]string) called {
	if !r.fetchReport(out, c, exit, before) {
		return called{}
	}
	parse, _ := ParserFor(r.p.Check.Report.Format)
	report, err := parse(*out)
	if err != nil {
		r.stop(gavel.CheckError, ReasonReportUnreadable, "%v", err)
		return called{}
	}
	if out.Exit != 0 && len(report.Findings) == 0 && !failedTests(report.Tests) {
		r.stop(gavel.CheckError, ReasonCrashed, "exit code %d, and the report says that nothing is wrong: %s", out.Exit, whatItSaid(out))
		return called{}
	}
	return called{report: report, ok: true}
}

// fetchReport fills in what the parser reads.
func (r *running) fetchReport(out *Output, c call, exit proc.Exit, before map[string]string) bool {
	spec := &r.p.Check.Report
	if spec.Stdout {
		if exit.Capped {
			r.stop(gavel.CheckError, ReasonOutputCapped, "it said more than %d MiB", maxToolOutput>>20)
			return false
		}
		out.Report = out.Stdout
		return true
	}
	files := []string{c.report}
	if spec.File != reportPlaceholder {
		files = r.reportFiles()
	}
	for _, f := range files {
		if state := fileState(f); state == "" || state == before[f] {
			continue
		}
		data, err := readBounded(f, maxToolOutput)
		if err != nil {
			r.unreadable(err)
			return false
		}
		r.out.Outputs = append(r.out.Outputs, f)
		if spec.File == reportPlaceholder {
			out.Report = data
			return true
		}
		name := strings.TrimPrefix(f, out.Dir+string(filepath.Separator))
		out.Reports = append(out.Reports, NamedReport{Name: filepath.ToSlash(name), Data: data})
	}
	if len(out.Reports) == 0 {
		r.stop(gavel.CheckNoScan, ReasonReportMissing, "it left no report (exit code %d): %s", out.Exit, whatItSaid(out))
	}
	return len(out.Reports) > 0
}

func (r *running) unreadable(err error) {
	if errors.Is(err, errTooLarge) {
		r.stop(gavel.CheckError, ReasonOutputCapped, "the report is larger than %d MiB", maxToolOutput>>20)
		return
	}
	r.stop(gavel.CheckNoScan, ReasonReportUnreadable, "the report cannot be read: %v", err)
}

// reportFiles are the files that the pattern of the check's reports names, sorted.
func (r *running) reportFiles() []string {
	spec := r.p.Check.Report.File
	if spec == "" || spec == reportPlaceholder {
		return nil
	}
	var files []string
	for _, dir := range append([]string{r.p.Project}, r.p.members...) {
		found, _ := filepath.Glob(filepath.Join(escapePattern(join(r.env.Root, dir)), filepath.FromSlash(spec)))
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// stateOfReports is what lies where the reports will be, so that an old one is not taken for a measurement.
func (r *running) stateOfReports() map[string]string {
	state := make(map[string]string)
	for _, f := range r.reportFiles() {
		state[f] = fileState(f)
	}
	return state
}

var errTooLarge = errors.New("too large")

// readBounded reads a regular file of at most so many bytes.
func readBounded(name string, most int64) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("no regular file")
	case info.Size() > most:
		return nil, errTooLarge
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = errTooLarge
	}
	return b.Bytes(), err
}

// escapePattern makes a folder's name safe in a pattern.
func escapePattern(dir string) string {
	var b strings.Builder
	for i := range len(dir) {
		if strings.IndexByte(`*?[\`, dir[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(dir[i])
	}
	return b.String()
}
