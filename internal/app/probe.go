package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// ProbeOutput says whether the server of this program answers, as a host would start it.
type ProbeOutput struct {
	SchemaVersion string   `json:"schema_version"`
	OK            bool     `json:"ok"`
	Step          string   `json:"step"`    // the last one: start, initialize, tools/list or health
	Version       string   `json:"version"` // of the server
	Protocol      string   `json:"protocol"`
	Tools         []string `json:"tools"`
	ResponseMS    int64    `json:"response_ms"` // from the start to the last answer
	Message       string   `json:"message,omitempty"`
	Hint          string   `json:"hint,omitempty"`
}

// ExitCode implements [Exiter].
func (o *ProbeOutput) ExitCode() int {
	if o.OK {
		return gavel.ExitPass
	}
	return gavel.ExitNoVerdict
}

// probeBudget bounds a probe, its start included.
const probeBudget = 10 * time.Second

// probe is a client of a server that it has started.
type probe struct {
	server *proc.Process
	lines  *bufio.Reader
	asked  int
}

// ProbeServer starts this program as a server with the arguments, and asks it what every host asks first. That it does
// not answer is no error but the result.
func ProbeServer(ctx context.Context, env *Env, args []string) (*ProbeOutput, error) {
	out := &ProbeOutput{SchemaVersion: gavel.WireVersion, Step: "start", Tools: []string{}}
	began := env.Now()
	within, cancel := context.WithTimeout(ctx, probeBudget)
	defer cancel()
	err := out.run(within, env, args)
	out.ResponseMS = env.Now().Sub(began).Milliseconds()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		out.Message = fmt.Sprintf("%s: no answer within %s", out.Step, probeBudget)
		out.Hint = "the machine is busy, or the server hangs: gavel mcp --verbose tells more"
	case err != nil:
		out.Message = out.Step + ": " + err.Error()
	default:
		out.OK = true
	}
	return out, nil
}

func (o *ProbeOutput) run(ctx context.Context, env *Env, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	server, err := proc.Command{Argv: append([]string{self, "mcp"}, args...), Dir: env.Dir, Env: os.Environ(), PipeStdin: true}.Start(ctx)
	if err != nil {
		return err
	}
	p := &probe{server: server, lines: bufio.NewReader(server.Stdout)}
	err = o.converse(p)
	server.Stdin.Close()
	if err != nil {
		server.Kill()
	}
	_, _ = io.Copy(io.Discard, server.Stdout) // it ends with its input
	if ended := server.Wait(); err == nil && ended != nil {
		return fmt.Errorf("the server did not end well: %w", ended)
	}
	if said := server.Stderr(); err != nil && said != "" {
		return fmt.Errorf("%w; it said: %s", err, untrusted.Visible(said))
	}
	return err
}

func (o *ProbeOutput) converse(p *probe) error {
	o.Step = "initialize"
	var hello struct {
		ServerInfo struct {
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	err := p.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "gavel-probe", "version": "1"},
	}, &hello)
	if err == nil {
		err = p.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		return err
	}
	o.Version, o.Step = hello.ServerInfo.Version, "tools/list"
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := p.ask("tools/list", map[string]any{}, &list); err != nil {
		return err
	}
	for _, t := range list.Tools {
		o.Tools = append(o.Tools, t.Name)
	}
	o.Step = "health"
	var health struct {
		IsError    bool         `json:"isError"`
		Structured HealthOutput `json:"structuredContent"`
	}
	if err := p.ask("tools/call", map[string]any{"name": "health", "arguments": map[string]any{}}, &health); err != nil {
		return err
	}
	o.Protocol = health.Structured.Protocol
	switch {
	case health.IsError || o.Protocol == "":
		return errors.New("the tool failed")
	case health.Structured.DepsGlobal.Git == nil:
		return errors.New("git cannot be used: " + strings.TrimSpace(health.Structured.DepsReason))
	}
	return nil
}

// ask sends a request and reads the answer to it.
func (p *probe) ask(method string, params, result any) error {
	p.asked++
	if err := p.write(map[string]any{"jsonrpc": "2.0", "id": p.asked, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := p.lines.ReadBytes('\n')
		if err != nil {
			return errors.New("the server ended without an answer")
		}
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			return errors.New("what the server wrote is no JSON-RPC")
		case m.ID != p.asked:
			continue
		case m.Error != nil:
			return errors.New(m.Error.Message)
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (p *probe) write(m any) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := p.server.Stdin.Write(append(line, '\n')); err != nil {
		return errors.New("the server does not read")
	}
	return nil
}

// RenderProbe writes a probe for people.
func RenderProbe(w io.Writer, o *ProbeOutput, _ RenderOptions) error {
	if !o.OK {
		_, err := fmt.Fprintf(w, "failed: %s\n", untrusted.Visible(o.Message))
		return err
	}
	_, err := fmt.Fprintf(w, "ok: gavel %s, %s, %d tools (%s), answered within %d ms\n",
		untrusted.Visible(o.Version), o.Protocol, len(o.Tools), strings.Join(o.Tools, ", "), o.ResponseMS)
	return err
}
