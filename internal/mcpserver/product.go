package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// toolsets says which set a tool of the product belongs to; a tool that is not named here is always offered.
var toolsets = map[string]string{
	"review": "review", "state": "runs", "run_review": "runs", "verdict": "runs", "findings": "runs", "read_artifact": "runs",
}

// timeouts are the deadlines of tools that need another one than DefaultTimeout.
var timeouts = map[string]time.Duration{
	"health": 10 * time.Second, "state": 30 * time.Second, "run_review": 150 * time.Second, // its own budget is 120 s
}

// Product turns the operations that open onto MCP into tools, with their committed schemas.
func Product(env *app.Env, operations []app.Operation) []Tool {
	var tools []Tool
	for _, op := range operations {
		if op.Doors&app.MCP == 0 {
			continue
		}
		name := op.Tool
		tools = append(tools, Tool{
			Name: name, Description: op.Doc, Toolset: toolsets[name], InputSchema: Schema(name), Timeout: timeouts[name],
			Annotations: Annotations{ReadOnly: op.ReadOnly, Idempotent: op.ReadOnly},
			Call:        caller(env, op),
		})
	}
	return tools
}

// caller runs the operation as the command line would, with this door in the environment.
func caller(env *app.Env, op app.Operation) func(context.Context, json.RawMessage, func(string)) (Result, error) {
	return func(ctx context.Context, args json.RawMessage, progress func(string)) (Result, error) {
		if err := refuseBlank(args); err != nil {
			return Result{}, err
		}
		in := op.NewInput()
		if err := json.Unmarshal(args, in); err != nil {
			return Result{}, gavel.Errorf(gavel.InvalidArgs, "arguments: %w", err)
		}
		world := *env
		world.Door, world.Progress = app.MCP, progress
		out, err := op.Run(ctx, &world, in)
		if err != nil {
			return Result{}, err
		}
		if review, ok := out.(*app.ReviewOutput); ok {
			fitted := Fit(*review.Document, ResultBudget)
			return Result{Body: fitted, Summary: fitted.Summary.Text}, nil
		}
		return Result{Body: out}, nil
	}
}

// refuseBlank refuses a repository or run that is named by nothing. Operations take the empty word for an argument that
// is absent, which it is not.
func refuseBlank(args json.RawMessage) error {
	var named struct {
		Repo  *string `json:"repo"`
		RunID *string `json:"run_id"`
	}
	if err := json.Unmarshal(args, &named); err != nil {
		return gavel.Errorf(gavel.InvalidArgs, "arguments: %w", err)
	}
	switch {
	case named.Repo != nil && *named.Repo == "":
		return gavel.Errorf(gavel.RepoNotFound, `repo: "" is not an absolute path`)
	case named.RunID != nil && *named.RunID == "":
		return gavel.Errorf(gavel.RunNotFound, `run_id: "" is no run`).WithHint("leave run_id out for the latest run of HEAD, where the tool allows it")
	}
	return nil
}
