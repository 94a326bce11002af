package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/proc"
	"github.com/gavel-review/gavel/internal/store"
)

// checks runs a plan: several checks at once, those of one heavy family one after the other.
type checks struct {
	run    *runner
	world  check.RunEnv
	slots  *semaphore.Weighted
	series map[string]*sync.Mutex // by the name of the family
	base   baseTree

	mu       sync.Mutex
	outcomes []check.Outcome
	waiting  map[string]bool // ids of those that are not through
}

// runChecks runs every planned check and compares it with the merge base. The outcomes are sorted by id.
func (r *runner) runChecks(ctx context.Context, plan *check.PlanResult) ([]check.Outcome, error) {
	if len(plan.Checks) == 0 {
		return nil, nil
	}
	c, err := r.newChecks(ctx, plan)
	if err != nil {
		return nil, err
	}
	defer c.base.release()
	group, within := errgroup.WithContext(ctx)
	for _, p := range plan.Checks {
		group.Go(func() error { return c.one(within, p) })
	}
	err = group.Wait()
	switch {
	case context.Cause(ctx) == errBudget && len(c.waiting) > 0:
		return nil, r.timedOut(c.unfinished())
	case err != nil:
		return nil, err
	}
	slices.SortFunc(c.outcomes, func(a, b check.Outcome) int { return cmp.Compare(a.ID, b.ID) })
	return c.outcomes, nil
}

func (r *runner) newChecks(ctx context.Context, plan *check.PlanResult) (*checks, error) {
	var err error
	if r.tools == nil {
		if r.tools, err = proc.Supervise(ctx, proc.SupervisorOptions{ReapArgs: []string{ReapWord}}); err != nil {
			return nil, err
		}
	}
	scratch, err := r.live.Scratch()
	if err != nil {
		return nil, err
	}
	trees, err := r.store.TreeFolder(runRepo(r.repo))
	if err != nil {
		return nil, err
	}
	c := &checks{run: r, series: make(map[string]*sync.Mutex), waiting: make(map[string]bool), base: baseTree{run: r}}
	c.slots = semaphore.NewWeighted(int64(r.workers()))
	c.world = check.RunEnv{Runner: r.tools, Root: r.tree.Root, Checkout: r.repo.Root, Scratch: scratch, Environ: check.Environ(r.env.Getenv), Now: r.env.Now,
		Cache: filepath.Join(trees, "cache"), Base: r.mergeBase.Commit, Tools: check.NewFinder()}
	for _, p := range plan.Checks {
		c.waiting[p.ID] = true
		if c.series[p.Serial] == nil {
			c.series[p.Serial] = new(sync.Mutex)
		}
	}
	return c, nil
}

// one runs a check to its end: from the cache or for real, compared with the merge base, written down.
func (c *checks) one(ctx context.Context, p check.Planned) error {
	if p.Serial != "" {
		c.series[p.Serial].Lock()
		defer c.series[p.Serial].Unlock()
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil // the caller sees that the check is still waiting
	}
	defer c.slots.Release(1)
	o := c.measure(ctx, p, c.world, c.run.subject.Tree)
	c.place(&o)
	if err := c.compare(ctx, p, &o); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	if err := c.write(&o); err != nil {
		return err
	}
	c.mu.Lock()
	c.outcomes = append(c.outcomes, o)
	delete(c.waiting, p.ID)
	left := len(c.waiting)
	c.mu.Unlock()
	c.run.tell(&o, left)
	return nil
}

// measure takes a stored result of exactly this tree, tool, command and configuration, or runs the check.
func (c *checks) measure(ctx context.Context, p check.Planned, world check.RunEnv, tree string) check.Outcome {
	key, cacheable := p.CacheKey(ctx, world, tree)
	if cacheable {
		if data, found, err := c.run.store.CheckResult(key); err == nil && found {
			var o check.Outcome
			if json.Unmarshal(data, &o) == nil && o.ID == p.ID {
				o.Cached, o.Required = true, p.Required
				return o
			}
		}
	}
	o := p.Run(ctx, world)
	if cacheable && o.Complete() {
		if data, err := json.Marshal(o); err == nil {
			_ = c.run.store.KeepCheckResult(key, data) // a cache that cannot be written costs time, not truth
		}
	}
	return o
}

// place relates every finding to the change.
func (c *checks) place(o *check.Outcome) {
	for i := range o.Findings {
		f := &o.Findings[i]
		f.Check = o.ID
		f.Scope = c.run.change.lines.Scope(f.File, f.Line, f.LineEnd)
	}
}

func (c *checks) unfinished() []string {
	var ids []string
	for id := range c.waiting {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (r *runner) workers() int {
	if r.in.Workers > 0 {
		return r.in.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// tell says what became of a check, on the terminal and in the log.
func (r *runner) tell(o *check.Outcome, left int) {
	line := checkLine(o)
	r.log("%s", line)
	r.env.say(line)
	if left > 0 {
		r.env.Progress(fmt.Sprintf("%d checks to go", left))
	}
}

// checkLine is what became of a check in one line.
func checkLine(o *check.Outcome) string {
	line := fmt.Sprintf("%-6s %s", o.Status, o.ID)
	switch {
	case o.Cached:
		line += " (cached)"
	case o.Duration > 0:
		line += fmt.Sprintf(" (%s)", o.Duration.Round(100*time.Millisecond))
	}
	if n := len(o.Findings); n > 0 {
		line += fmt.Sprintf(", %d findings", n)
	}
	if o.Status == gavel.CheckFail && o.Baseline == gavel.BaselineUnchanged {
		line += ", all of them old"
	}
	if o.Detail != "" {
		line += ": " + o.Detail
	}
	return line
}

// write keeps an outcome and what the tool said, both with every secret masked, where they can be read at once.
func (c *checks) write(o *check.Outcome) error {
	name := store.PackQuality + "/" + check.Slug(o.ID)
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	if err := c.run.live.WriteLive(name+".json", []byte(detect.Redact(string(data)))); err != nil {
		return err
	}
	said, err := said(o)
	if err != nil {
		return err
	}
	return c.run.live.WriteLive(name+".log", []byte(detect.Redact(said)))
}

// maxSaid bounds what is kept of each output of a tool, in bytes: its end, where most tools say what is wrong.
const maxSaid = 1 << 20

// said puts together what the tools of a check wrote.
func said(o *check.Outcome) (string, error) {
	var b strings.Builder
	for _, line := range o.Command {
		fmt.Fprintf(&b, "$ %s\n", strings.Join(line, " "))
	}
	for _, path := range o.Outputs {
		fmt.Fprintf(&b, "\n== %s\n", filepath.Base(path))
		if err := copyEnd(&b, path); err != nil {
			return "", err
		}
	}
	return strings.ToValidUTF8(b.String(), "\ufffd"), nil
}

func copyEnd(to io.Writer, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxSaid {
		fmt.Fprintf(to, "(%d bytes before this are left out)\n", info.Size()-maxSaid)
		if _, err := f.Seek(-maxSaid, io.SeekEnd); err != nil {
			return err
		}
	}
	_, err = io.Copy(to, io.LimitReader(f, maxSaid))
	return err
}
