package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// MaxGrace is the longest grace that a task may have: a task is over at most two seconds after its Timeout.
const MaxGrace = 750 * time.Millisecond

// Task is one run of a tool under a Supervisor. The zero value of every field but Argv is usable. The standard input is
// the null device.
type Task struct {
	// Argv[0] is a path, relative to Dir, or a name that is looked up in the absolute folders of the PATH of Env, of this
	// process where Env has none.
	Argv []string
	Dir  string // working folder; "" = this process's
	// Env is the complete environment, as KEY=VALUE; nil is an empty one. Of several values of a variable the last counts.
	Env []string
	// Stdout and Stderr name the files that take what the tool says. They are created anew, mode 0600. "" throws it away;
	// the same name twice mixes both streams in one file.
	Stdout, Stderr string
	// MaxOutput is how many bytes of each stream are kept, the first ones; 0 = DefaultMaxOutput. The tool is not held up
	// by what is beyond.
	MaxOutput int64
	Timeout   time.Duration // 0 = none but the context's
	// Grace is the time between the polite signal and the other; 0 = DefaultGrace, and no more than MaxGrace.
	Grace time.Duration
}

// Exit is how a task ended.
type Exit struct {
	Code      int           `json:"code"`             // exit code, -1 when a signal ended the tool
	Signal    string        `json:"signal,omitempty"` // "SIGKILL", …
	Duration  time.Duration `json:"duration"`         // from its start to the end of the tool itself
	TimedOut  bool          `json:"timed_out,omitempty"`
	Cancelled bool          `json:"cancelled,omitempty"`
	Capped    bool          `json:"capped,omitempty"` // a stream was longer than MaxOutput
	// Left counts the processes beside the tool itself that had to be ended: what it left behind, or had running when it
	// was ended.
	Left   int           `json:"left,omitempty"`
	CPU    time.Duration `json:"cpu"`     // user and system time, with that of the processes it waited for
	MaxRSS int64         `json:"max_rss"` // bytes, of the largest process
}

// Isolation names what confines a task: full, fs-only or none.
func Isolation() string { return "none" }

// request checks a task and makes its paths absolute.
func (t Task) request(id uint64) (*startRequest, error) {
	if len(t.Argv) == 0 || t.Argv[0] == "" {
		return nil, errors.New("proc: no program")
	}
	dir, err := filepath.Abs(t.Dir)
	if err != nil {
		return nil, fmt.Errorf("proc: %w", err)
	}
	program, err := t.program(dir)
	if err != nil {
		return nil, err
	}
	s := &startRequest{
		ID: id, Path: []byte(program), Argv: toBytes(t.Argv), Env: toBytes(lastOfEach(t.Env)), Dir: []byte(dir),
		MaxOutput: t.MaxOutput, Timeout: max(t.Timeout, 0), Grace: min(t.Grace, MaxGrace),
	}
	if s.MaxOutput <= 0 {
		s.MaxOutput = DefaultMaxOutput
	}
	if s.Grace <= 0 {
		s.Grace = DefaultGrace
	}
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{t.Stdout, &s.Stdout}, {t.Stderr, &s.Stderr}} {
		if f.name == "" {
			continue
		}
		name, err := filepath.Abs(f.name)
		if err != nil {
			return nil, fmt.Errorf("proc: %w", err)
		}
		*f.to = []byte(name)
	}
	return s, nil
}

// program finds the file to execute.
func (t Task) program(dir string) (string, error) {
	name := t.Argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if isProgram(name) {
			return name, nil
		}
		return "", fmt.Errorf("%w: %s", ErrNotFound, t.Argv[0])
	}
	for _, folder := range filepath.SplitList(t.searchPath()) {
		// A relative folder of the PATH would let the tree that is judged choose its own tools.
		if found := filepath.Join(folder, name); filepath.IsAbs(folder) && isProgram(found) {
			return found, nil
		}
	}
	return "", fmt.Errorf("%w: %s", ErrNotFound, name)
}

// lastOfEach keeps of several values of a variable the last one. A program that is given all of them takes the first.
func lastOfEach(env []string) []string {
	last := make(map[string]int, len(env))
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		last[name] = i
	}
	out := make([]string, 0, len(last))
	for i, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); last[name] == i {
			out = append(out, kv)
		}
	}
	return out
}

// searchPath is the task's PATH: the last one counts, as for the program that gets the environment.
func (t Task) searchPath() string {
	for i := len(t.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(t.Env[i], "PATH="); ok {
			return value
		}
	}
	return os.Getenv("PATH")
}

func isProgram(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
