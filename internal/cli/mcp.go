package cli

import (
	"context"
	"io"
	"strings"

	"github.com/gavel-review/gavel/internal/app"
)

// mcpInput is what the server can be told.
type mcpInput struct {
	Tools []string `json:"tools" doc:"toolsets to serve, comma-separated"`
	Probe bool     `json:"probe,omitempty" doc:"start one, ask it what a host asks, tell"`
}

// mcpLeaf is the command that serves agents. Its standard output belongs to the protocol: an error there is text on
// standard error, whatever --json says.
func (p *program) mcpLeaf() *leaf {
	return &leaf{
		op: app.Operation{
			Name: "mcp",
			Doc:  "Serve gavel's tools to an agent over standard input and output (Model Context Protocol).",
			Long: "--repo is the default repository of tools that are called without one. The server ends when its input ends.\n" +
				"--probe starts one as a host would, asks for its tools and its health, and says which step failed.",
			Example:  "  gavel mcp\n  gavel mcp --tools review,runs --repo ~/src/project\n  gavel mcp --probe --json",
			Doors:    app.CLI,
			NewInput: func() any { return new(mcpInput) },
			Run:      probe,
			Render: func(w io.Writer, out any, o app.RenderOptions) error {
				return app.RenderProbe(w, out.(*app.ProbeOutput), o)
			},
		},
		valued: func(in any) bool { return in.(*mcpInput).Probe },
		run: func(ctx context.Context, in any) error {
			p.json = false
			env, err := p.env(&progress{quiet: true})
			if err != nil {
				return err
			}
			err = p.doors.MCP(ctx, env, toolsets(in.(*mcpInput).Tools))
			if ctx.Err() != nil {
				return cancelled(err)
			}
			return err
		},
	}
}

// probe asks a server with the same words.
func probe(ctx context.Context, env *app.Env, in any) (any, error) {
	var args []string
	if sets := toolsets(in.(*mcpInput).Tools); len(sets) > 0 {
		args = append(args, "--tools", strings.Join(sets, ","))
	}
	if env.DefaultRepo != "" {
		args = append(args, "--repo", env.DefaultRepo)
	}
	return app.ProbeServer(ctx, env, args)
}

// toolsets splits lists; a blank between two commas is nothing.
func toolsets(lists []string) []string {
	var sets []string
	for _, list := range lists {
		for set := range strings.SplitSeq(list, ",") {
			if set = strings.TrimSpace(set); set != "" {
				sets = append(sets, set)
			}
		}
	}
	return sets
}
