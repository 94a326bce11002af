package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// TestMain lets the tests run this program with the operations below as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("GAVEL_TEST_CLI") != "" {
		os.Exit(Main(os.Args[1:], fakeDoors()))
	}
	os.Exit(m.Run())
}

func fakeDoors() Doors {
	return Doors{
		Operations: func() []app.Operation {
			return []app.Operation{
				app.Erase(demoOperation), app.Erase(oneOperation), app.Erase(failOperation), app.Erase(waitOperation),
				app.Erase(bigOperation), app.Erase(agentOperation),
			}
		},
		MCP: func(ctx context.Context, env *app.Env, toolsets []string) error {
			if len(toolsets) > 0 && toolsets[0] == "bad" {
				return gavel.Errorf(gavel.InvalidArgs, "no toolset bad")
			}
			fmt.Fprintf(os.Stderr, "serving %v repo=%q\n", toolsets, env.DefaultRepo)
			return nil
		},
	}
}

type demoInput struct {
	Path   []string `json:"path,omitempty" doc:"what to look at"`
	Level  string   `json:"fail_on,omitempty" doc:"gate" enum:"critical,high,any"`
	All    bool     `json:"all,omitempty" doc:"everything" short:"a"`
	Staged *bool    `json:"staged,omitempty" doc:"the index"`
	Count  int      `json:"count,omitempty" doc:"how many" short:"n"`
	File   []string `json:"file,omitempty" doc:"only these"`
	Pick   []string `json:"pick,omitempty" doc:"some of" enum:"x,y"`
	Most   *int     `json:"most,omitempty" doc:"at most"`
	Hidden string   `json:"hidden,omitempty" doc:"not for people" door:"mcp"`
	Code   int      `json:"code,omitempty" doc:"exit code"`
	Remark string   `json:"remark,omitempty" doc:"notice"`
}

type demoOutput struct {
	Input  demoInput `json:"input"`
	Door   app.Doors `json:"door"`
	Repo   string    `json:"repo"`
	Markup string    `json:"markup"`
}

func (o *demoOutput) ExitCode() int  { return o.Input.Code }
func (o *demoOutput) Notice() string { return o.Input.Remark }

var demoOperation = app.Op[demoInput, *demoOutput]{
	Name: "demo", Doc: "Show what arrived. And more.", Long: "Longer.", Example: "  gavel demo .", Doors: app.AllDoors,
	Positional: "path", Formats: []string{"markdown"},
	Run: func(_ context.Context, env *app.Env, in demoInput) (*demoOutput, error) {
		return &demoOutput{in, env.Door, env.DefaultRepo, "<&>"}, nil
	},
	Render: func(w io.Writer, o *demoOutput, r app.RenderOptions) error {
		if o.Input.Level == "any" {
			io.WriteString(w, "half of it")
			return errors.New("cannot render any")
		}
		_, err := fmt.Fprintf(w, "format=%s color=%t width=%d\n", r.Format, r.Color, r.Width)
		return err
	},
}

type oneInput struct {
	Rule string `json:"rule" doc:"the rule"`
}

var oneOperation = app.Op[oneInput, oneInput]{
	Name: "rule explain", Doc: "Explain one rule.", Doors: app.CLI, Positional: "rule",
	Run: func(_ context.Context, _ *app.Env, in oneInput) (oneInput, error) { return in, nil },
	Render: func(w io.Writer, in oneInput, _ app.RenderOptions) error {
		_, err := fmt.Fprintln(w, in.Rule)
		return err
	},
}

type failInput struct {
	Class string `json:"class,omitempty" doc:"class of the error"`
}

var failOperation = app.Op[failInput, string]{
	Name: "fail", Doc: "Fail.", Doors: app.CLI,
	Run: func(ctx context.Context, _ *app.Env, in failInput) (string, error) {
		switch in.Class {
		case "panic":
			panic("a\x1b[31mb")
		case "render":
			return "x", nil
		case "plain":
			return "", errors.New("plain")
		case "canceled":
			return "", fmt.Errorf("deep: %w", context.Canceled)
		case "deadline":
			return "", fmt.Errorf("deep: %w", context.DeadlineExceeded)
		}
		return "", &gavel.Error{
			Class: gavel.Class(in.Class), Message: "it broke", Hint: "mend it", RetryAfter: 1500 * time.Millisecond,
			Extra: map[string]any{"tool": "git", "message": "overwritten"}, Err: errors.New("the cause"),
		}
	},
	Render: func(w io.Writer, _ string, _ app.RenderOptions) error {
		io.WriteString(w, "half")
		panic("in render")
	},
}

var waitOperation = app.Op[struct{}, string]{
	Name: "wait", Doc: "Wait to be interrupted.", Doors: app.CLI,
	Run: func(ctx context.Context, env *app.Env, _ struct{}) (string, error) {
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		return "a result that nobody may see", nil
	},
	Render: func(w io.Writer, s string, _ app.RenderOptions) error {
		_, err := io.WriteString(w, s)
		return err
	},
}

type bigOutput struct{ Lines []string }

func (bigOutput) ExitCode() int { return 1 }

var bigOperation = app.Op[struct{}, bigOutput]{
	Name: "big", Doc: "Print more than a pipe holds.", Doors: app.CLI,
	Run: func(context.Context, *app.Env, struct{}) (bigOutput, error) {
		return bigOutput{strings.Split(strings.Repeat(strings.Repeat("x", 1023)+"\n", 1024), "\n")}, nil
	},
	Render: func(w io.Writer, o bigOutput, _ app.RenderOptions) error {
		_, err := io.WriteString(w, strings.Join(o.Lines, "\n"))
		return err
	},
}

var agentOperation = app.Op[struct{}, string]{Name: "agent only", Doc: "Not for people.", Doors: app.MCP}

// call is one command line in this process.
type call struct {
	args    []string
	env     map[string]string
	width   int  // of the terminal
	tty     bool // both streams are a terminal
	dir     string
	ctx     context.Context
	doors   *Doors
	failing error // what writing to standard output answers
}

type result struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, args ...string) result { return call{args: args}.run(t) }

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func (c call) run(t *testing.T) result {
	t.Helper()
	var out, err bytes.Buffer
	doors := fakeDoors()
	if c.doors != nil {
		doors = *c.doors
	}
	columns := func() (int, bool) { return c.width, c.tty }
	p := &program{
		doors: doors, args: c.args, stdin: strings.NewReader(""),
		stdout: stream{&out, columns}, stderr: stream{&err, columns},
		getenv: func(k string) string { return c.env[k] },
		getwd:  func() (string, error) { return c.dir, nil },
	}
	if c.failing != nil {
		p.stdout.Writer = failingWriter{c.failing}
	}
	if c.ctx == nil {
		c.ctx = t.Context()
	}
	code := p.run(c.ctx)
	return result{code, out.String(), err.String()}
}
