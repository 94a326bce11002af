package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// DetachedWord is the only argument of this program when it is to carry out a run that outlives whoever asked for it.
// It is no command: it shows in no help.
const DetachedWord = "__run"

// detachedOrder is what such a process reads from its standard input.
type detachedOrder struct {
	Version string   `json:"version"`
	Dir     string   `json:"dir"`
	Repo    string   `json:"repo"` // of the server; used where the input names none
	Input   RunInput `json:"input"`
}

// detachedAnswer is the one line that it writes once the run has an id, or cannot begin.
type detachedAnswer struct {
	Started *RunStarted    `json:"started,omitempty"`
	Error   *detachedError `json:"error,omitempty"`
}

type detachedError struct {
	Class      gavel.Class    `json:"class"`
	Message    string         `json:"message"`
	Hint       string         `json:"hint"`
	RetryAfter time.Duration  `json:"retry_after"`
	Extra      map[string]any `json:"extra"`
}

// beginning bounds how long a detached run may take to get its id.
const beginning = 30 * time.Second

// startDetached starts a run in a process of its own and returns when it has begun.
func startDetached(ctx context.Context, env *Env, in RunInput) (*RunStarted, error) {
	order, err := json.Marshal(detachedOrder{env.Version, env.Dir, env.DefaultRepo, in})
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, gavel.Errorf(gavel.RunFailed, "this program cannot find itself: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, beginning)
	defer cancel()
	line, err := proc.Command{Argv: []string{self, DetachedWord}, Dir: "/", Env: os.Environ()}.Detach(ctx, order)
	if err != nil {
		return nil, gavel.Errorf(gavel.RunFailed, "the run could not be started: %w", err)
	}
	var answer detachedAnswer
	if err := json.Unmarshal(line, &answer); err != nil || (answer.Started == nil) == (answer.Error == nil) {
		return nil, gavel.Errorf(gavel.RunFailed, "the run could not be started: its process did not say how it began")
	}
	if e := answer.Error; e != nil {
		return nil, &gavel.Error{Class: e.Class, Message: e.Message, Hint: e.Hint, RetryAfter: e.RetryAfter, Extra: e.Extra}
	}
	return answer.Started, nil
}

// maxOrder bounds what a detached process reads, in bytes.
const maxOrder = 1 << 20

// RunDetached is the whole of a detached process; it returns its exit code. Only SIGTERM and the run's budget end it
// early; that a terminal or a server goes away does not.
func RunDetached() int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var order detachedOrder
	if err := json.NewDecoder(io.LimitReader(os.Stdin, maxOrder)).Decode(&order); err != nil {
		return gavel.ExitUsage
	}
	env := &Env{
		Version: order.Version, Dir: order.Dir, DefaultRepo: order.Repo, Getenv: os.Getenv, Stdin: nil, Now: time.Now, Progress: func(string) {}, Door: MCP,
	}
	r, err := beginRun(ctx, env, order.Input)
	if err != nil {
		e := gavel.AsError(err)
		answer(detachedAnswer{Error: &detachedError{e.Class, e.Message, e.Hint, e.RetryAfter, e.Extra}})
		return e.Mapping().Exit
	}
	answer(detachedAnswer{Started: r.started()})
	out, err := r.finish(ctx)
	if err != nil {
		return gavel.AsError(err).Mapping().Exit
	}
	return out.ExitCode()
}

func answer(a detachedAnswer) {
	w := bufio.NewWriter(os.Stdout)
	_ = json.NewEncoder(w).Encode(a) // whoever asked may have gone; the run goes on
	_ = w.Flush()
}

func (r *runner) started() *RunStarted {
	record := r.live.Record()
	return &RunStarted{
		SchemaVersion: gavel.WireVersion, RunID: record.ID, Status: string(gavel.StateRunning), Commit: gavel.ShortCommit(record.Commit),
		BaseUsed: record.BaseUsed, BaseFallback: record.BaseFallback, Caveats: append([]string{}, r.caveats...), RetryAfterMS: retryAfter.Milliseconds(),
	}
}

// retryAfter is when it is worth asking again for a run that goes on.
const retryAfter = 5 * time.Second
