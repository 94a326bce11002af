// Command gavel reviews, checks and gates code changes.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/cli"
	"github.com/gavel-review/gavel/internal/mcpserver"
)

// collectAt is how much the heap may grow before it is collected, in percent. A review is short and small: at the
// default of 100 it collects several times for nothing.
const collectAt = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	os.Exit(cli.Main(os.Args[1:], cli.Doors{Operations: app.Operations, MCP: serve}))
}

// serve offers the operations to an agent over standard input and output.
func serve(ctx context.Context, env *app.Env, toolsets []string) error {
	server, err := mcpserver.New(mcpserver.Options{
		Version:  env.Version,
		Tools:    mcpserver.Product(env, app.Operations()),
		Toolsets: toolsets,
	})
	if err != nil {
		return err
	}
	return server.ServeStdio(ctx)
}
