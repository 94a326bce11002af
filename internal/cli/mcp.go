package cli

import (
	"context"
	"strings"

	"github.com/gavel-review/gavel/internal/app"
)

// mcpInput is what the server can be told.
type mcpInput struct {
	Tools []string `json:"tools" doc:"toolsets to serve, comma-separated"`
}

// mcpLeaf is the command that serves agents. Its standard output belongs to the protocol: an error there is text on
// standard error, whatever --json says.
func (p *program) mcpLeaf() *leaf {
	return &leaf{
		op: app.Operation{
			Name: "mcp",
			Doc:  "Serve gavel's tools to an agent over standard input and output (Model Context Protocol).",
			Long: "--repo is the default repository of tools that are called without one. The server ends when its input ends.",

			Example:  "  gavel mcp\n  gavel mcp --tools review,checks --repo ~/src/project",
			Doors:    app.CLI,
			NewInput: func() any { return new(mcpInput) },
		},
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
