// Command gavel reviews, checks and gates code changes.
package main

import (
	"context"
	"os"

	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/cli"
	"github.com/gavel-review/gavel/internal/mcpserver"
)

func main() {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case app.ReapWord:
			os.Exit(app.Reap())
		case app.DetachedWord:
			os.Exit(app.RunDetached())
		}
	}
	os.Exit(cli.Main(os.Args[1:], cli.Doors{Operations: app.Operations, MCP: serve}))
}

// serve offers the operations to an agent over standard input and output.
func serve(ctx context.Context, env *app.Env, toolsets []string) error {
	server, err := mcpserver.New(mcpserver.Options{
		Version:   env.Version,
		Tools:     mcpserver.Product(env, app.Operations()),
		Resources: mcpserver.ProductResources(env),
		Toolsets:  toolsets,
	})
	if err != nil {
		return err
	}
	return server.ServeStdio(ctx)
}
