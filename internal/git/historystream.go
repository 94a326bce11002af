package git

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// History is every commit that a walk reaches, parents before their children and else the oldest first.
type History struct {
	Total int // commits
	Notes []string

	repo *Repo
	args []string
	ends bounds
}

// History finds the commits between the revisions' bounds, see [Selection.Revisions]; merges are among them. With most
// above zero only the newest of them are taken.
func (r *Repo) History(ctx context.Context, revisions []string, most int) (*History, error) {
	ends, err := r.walkBounds(ctx, revisions)
	if err != nil {
		return nil, err
	}
	h := &History{repo: r, ends: ends}
	if ends.empty() {
		return h, nil
	}
	if h.Total, err = r.countCommits(ctx, ends); err != nil {
		return nil, err
	}
	h.args = []string{"rev-list", "--date-order", "--reverse", "--parents"}
	if most > 0 && h.Total > most {
		h.note("the history has %d commits, and the newest %d were looked at; max_commits takes more", h.Total, most)
		h.Total = most
		h.args = append(h.args, "--max-count="+strconv.Itoa(most))
	}
	h.args = append(h.args, "--stdin")
	if r.Shallow {
		h.note("this clone is shallow: commits at its edge count as if they had brought all that they hold")
	}
	return h, nil
}

// Digest names the commits of the history: equal digests mean equal contents.
func (h *History) Digest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "history\x00%q\x00%q\x00%d", h.ends.to, h.ends.from, h.Total)
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Files yields every file of what each commit brought itself, the oldest commits first, each with its commit. before is
// called ahead of each commit with the number of those that are done. One commit at a time is held, whatever the
// length of the history.
func (h *History) Files(ctx context.Context, filter Filter, before func(done int)) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		if h.ends.empty() {
			return
		}
		texts := &diffServer{repo: h.repo}
		defer texts.close()
		done := 0
		for c, err := range h.commits(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			before(done)
			if !texts.yieldChange(ctx, c, ownChange, filter, yield) {
				return
			}
			done++
		}
	}
}

// commits streams the list of commits, of which only ids are known.
func (h *History) commits(ctx context.Context) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		c := h.repo.command(h.args...)
		c.Stdin = h.ends.stdin()
		process, err := c.Start(ctx)
		if err != nil {
			yield(nil, toolError(err))
			return
		}
		in := bufio.NewReaderSize(process.Stdout, 16<<10)
		for {
			var commit *Commit
			if commit, err = readListed(in); err != nil {
				break
			}
			if !yield(commit, nil) {
				process.Kill()
				process.Stdout.Close()
				_ = process.Wait()
				return
			}
		}
		if err := walkEnd(ctx, process, err); err != nil {
			yield(nil, err)
		}
	}
}

// readListed reads "id parent parent".
func readListed(in *bufio.Reader) (*Commit, error) {
	line, err := in.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && line == "":
		return nil, io.EOF
	case err != nil:
		return nil, io.ErrUnexpectedEOF
	}
	ids := strings.Fields(line)
	for _, id := range ids {
		if !isID(id) {
			return nil, fmt.Errorf("git: %q where a commit was expected", clipped(id))
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("git: an empty line where a commit was expected")
	}
	return &Commit{ID: ids[0], Parents: ids[1:]}, nil
}

func (r *Repo) countCommits(ctx context.Context, ends bounds) (int, error) {
	c := r.command("rev-list", "--count", "--stdin")
	c.Stdin = ends.stdin()
	out, stderr, err := c.Output(ctx)
	if err != nil {
		if ctx.Err() != nil || isLate(err) {
			return 0, toolError(err)
		}
		return 0, gavel.Errorf(gavel.RunFailed, "the history cannot be read: %s", said(stderr)).WithHint("see what git fsck says")
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

func (h *History) note(format string, args ...any) {
	h.Notes = append(h.Notes, fmt.Sprintf(format, args...))
}
