// Command gavel reviews, checks and gates code changes.
package main

import (
	"os"

	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Doors{Operations: app.Operations}))
}
