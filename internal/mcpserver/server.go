// Package mcpserver is the door through which agents use gavel: a Model Context Protocol server over the operations
// it is given. It translates; it decides nothing about a change.
//
// [New] builds everything the server consists of from a list of tools: the SDK server, its middleware, argument
// checking, deadlines, concurrency and results. The product registers its operations on it, the conformance program
// the fixtures of the official suite, so that what is tested is what is shipped.
package mcpserver

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options is what a server is built from. Only Tools is needed; every other zero value means its default.
type Options struct {
	Version      string     // of gavel, told to clients
	Instructions string     // for the client's model, at most 2 KiB; default: the built-in text
	Tools        []Tool     // offered in order of name
	Toolsets     []string   // names from [Toolsets]; empty = all; a tool without a set is always offered
	Resources    *Resources // nil = none are offered
	Logger       *slog.Logger
	// Concurrency is how many calls run at once (default 16). Further calls wait; ping and the rest of the protocol
	// never do.
	Concurrency int
	Drain       time.Duration // for calls in flight when the input ends, default 30 s
	Progress    time.Duration // between two progress notes of a call, default 3 s
	MaxLine     int           // bytes of one message, default 16 MiB
	// Adjust may change the SDK's options before the server is built. It exists for the conformance fixtures, which
	// need capabilities the product does not offer. May be nil.
	Adjust func(*mcp.ServerOptions)
}

// Server is ready to serve any number of sessions.
type Server struct {
	opts Options
	sdk  *mcp.Server
	gate *gate
	log  *slog.Logger
}

const maxInstructions = 2048

// cacheFor is how long a client may keep the tool list: it cannot change while the process lives.
const cacheFor = 10 * time.Minute

//go:embed instructions.md
var instructions string

// New builds a server. It fails on a tool that breaks the rules of [Tool] and on an unknown toolset.
func New(opts Options) (*Server, error) {
	opts = withDefaults(opts)
	if len(opts.Instructions) > maxInstructions {
		return nil, fmt.Errorf("instructions have %d bytes, more than %d", len(opts.Instructions), maxInstructions)
	}
	tools, err := selectTools(opts.Tools, opts.Toolsets)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, gate: newGate(opts.Concurrency), log: opts.Logger}
	sdkOpts := s.sdkOptions()
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "gavel", Title: "Gavel", Version: opts.Version}, sdkOpts)
	if opts.Resources != nil {
		s.sdk.AddReceivingMiddleware(s.resources)
	}
	s.sdk.AddReceivingMiddleware(s.guard(undeclared(sdkOpts)))
	for i := range tools {
		s.sdk.AddTool(tools[i].describe(), s.handler(&tools[i]))
	}
	return s, nil
}

// SDK gives access to the underlying server, for what a [Tool] cannot express: the conformance fixtures.
func (s *Server) SDK() *mcp.Server { return s.sdk }

func withDefaults(opts Options) Options {
	if opts.Version == "" {
		opts.Version = "dev"
	}
	if opts.Instructions == "" {
		opts.Instructions = instructions
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if opts.Concurrency <= 0 {
		opts.Concurrency = 16
	}
	if opts.Drain <= 0 {
		opts.Drain = 30 * time.Second
	}
	if opts.Progress <= 0 {
		opts.Progress = 3 * time.Second
	}
	if opts.MaxLine <= 0 {
		opts.MaxLine = 16 << 20
	}
	return opts
}

// sdkOptions declares capabilities one by one: left alone, the SDK advertises logging and change notifications that
// never come.
func (s *Server) sdkOptions() *mcp.ServerOptions {
	o := &mcp.ServerOptions{
		Instructions: s.opts.Instructions,
		Logger:       s.log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(cacheFor.Milliseconds()), "private"
		},
	}
	if s.opts.Resources != nil {
		o.Capabilities.Resources = &mcp.ResourceCapabilities{}
	}
	if s.opts.Adjust != nil {
		s.opts.Adjust(o)
	}
	return o
}
