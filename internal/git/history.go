package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// MaxWalk is how many commits a selection looks at.
const MaxWalk = 10_000

// Commit is what a walk over a history knows of a commit.
type Commit struct {
	ID      string   // hex
	Parents []string // as the history that is here shows them: none at the edge of a shallow clone
	// Names and addresses are as the commit has them; no mail map is applied.
	AuthorName, AuthorEmail       string
	CommitterName, CommitterEmail string
	Time                          time.Time // of the author; the zero time where the commit has none that can be read
	Message                       string
}

// merge reports whether the commit joins histories.
func (c *Commit) merge() bool { return len(c.Parents) > 1 }

// bounds are the ends of a walk, as commit ids: what is reachable from To and not from From.
type bounds struct {
	to, from []string
	explicit bool // somebody named revisions
}

// empty reports whether there is nothing to walk over, because there is no commit yet.
func (b bounds) empty() bool { return len(b.to) == 0 }

// stdin is what git reads the ends from: nothing of it can be an option.
func (b bounds) stdin() io.Reader {
	var s strings.Builder
	for _, id := range b.to {
		s.WriteString(id + "\n")
	}
	for _, id := range b.from {
		s.WriteString("^" + id + "\n")
	}
	return strings.NewReader(s.String())
}

// walkBounds reads revisions as the ends of a walk: none is HEAD, "A" what is reachable from A, and "A" "B", "A..B" and
// "A...B" what B has and A lacks.
func (r *Repo) walkBounds(ctx context.Context, revisions []string) (bounds, error) {
	if len(revisions) == 0 {
		if r.Head == "" {
			return bounds{}, nil
		}
		return bounds{to: []string{r.Head}}, nil
	}
	from, to, dots, err := splitRevisions(revisions)
	if err == nil {
		err = r.linkLogs()
	}
	if err != nil {
		return bounds{}, err
	}
	if dots == "" {
		from, to = "", from
	}
	b := bounds{explicit: true}
	head, err := r.resolveCommit(ctx, to)
	if err != nil {
		return bounds{}, err
	}
	b.to = []string{head}
	if from != "" {
		base, err := r.resolveCommit(ctx, from)
		if err != nil {
			return bounds{}, err
		}
		b.from = []string{base}
	}
	return b, nil
}

func (r *Repo) resolveCommit(ctx context.Context, revision string) (string, error) {
	s, err := r.resolve(ctx, revision)
	if err == nil && s.Commit == "" {
		err = gavel.Errorf(gavel.InvalidArgs, "the revision %q is a tree, and a history is made of commits", revision)
	}
	return s.Commit, err
}

// logFormat has logFields fields. Git writes no NUL inside of any of them.
const (
	logFormat = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%at%x00%B"
	logFields = 8
)

// walk hands every commit between the bounds to visit, the newest first, and stops after most of them. It reports
// whether there would have been more. Without merges they are passed over, and do not count.
func (r *Repo) walk(ctx context.Context, b bounds, merges bool, most int, visit func(*Commit)) (more bool, err error) {
	if b.empty() {
		return false, nil
	}
	args := []string{
		"log", "-z", "--format=" + logFormat, "--encoding=UTF-8", "--max-count=" + strconv.Itoa(most+1),
		"--no-mailmap", "--no-show-signature", "--no-decorate", "--no-color", "--no-patch", "--no-ext-diff", "--stdin",
	}
	if !merges {
		args = append(args, "--no-merges")
	}
	c := r.command(args...)
	c.Stdin = b.stdin()
	process, err := c.Start(ctx)
	if err != nil {
		return false, toolError(err)
	}
	in := bufio.NewReaderSize(process.Stdout, 64<<10)
	n := 0
	for ; n <= most; n++ {
		var commit *Commit
		if commit, err = readCommit(in); err != nil {
			break
		}
		if n < most {
			visit(commit)
		}
	}
	if err == nil { // one more than was wanted: git is done too
		_, err = in.ReadByte()
	}
	return n > most, walkEnd(ctx, process, err)
}

// walkEnd waits for git, and tells its orderly end from any other.
func walkEnd(ctx context.Context, process *proc.Process, err error) error {
	if !errors.Is(err, io.EOF) {
		process.Kill()
	}
	process.Stdout.Close()
	waited := process.Wait()
	var exit *proc.ExitError
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx.Err())
	case isLate(waited):
		return toolError(waited)
	case errors.As(waited, &exit):
		return gavel.Errorf(gavel.RunFailed, "the history cannot be read: %s", said(exit.Stderr)).WithHint("see what git fsck says")
	case errors.Is(err, io.EOF) && waited == nil:
		return nil
	case err == nil:
		err = waited
	}
	return gavel.Errorf(gavel.RunFailed, "the history cannot be read: %w", err)
}

// readCommit reads one commit of the log. io.EOF is the end between two of them.
func readCommit(in *bufio.Reader) (*Commit, error) {
	var fields [logFields]string
	for i := range fields {
		s, err := in.ReadString(0)
		switch {
		case errors.Is(err, io.EOF) && i == 0 && s == "":
			return nil, io.EOF
		case err != nil:
			return nil, io.ErrUnexpectedEOF
		}
		fields[i] = s[:len(s)-1]
	}
	if !isID(fields[0]) {
		return nil, fmt.Errorf("git: %q where a commit was expected", clipped(fields[0]))
	}
	c := &Commit{
		ID: fields[0], Parents: strings.Fields(fields[1]), AuthorName: fields[2], AuthorEmail: fields[3],
		CommitterName: fields[4], CommitterEmail: fields[5], Message: fields[7],
	}
	for _, p := range c.Parents {
		if !isID(p) {
			return nil, fmt.Errorf("git: %q where a parent was expected", clipped(p))
		}
	}
	if seconds, err := strconv.ParseInt(fields[6], 10, 64); err == nil {
		c.Time = time.Unix(min(max(seconds, -maxSeconds), maxSeconds), 0)
	}
	return c, nil
}

// maxSeconds is the last second of the year 9999: what is later is a mistake or a joke, and would not be a date.
const maxSeconds = 253_402_300_799 - 86_400

func clipped(s string) string { return s[:min(len(s), 60)] }
