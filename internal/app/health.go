package app

import (
	"context"
	"fmt"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/git"
)

// HealthInput asks for a probe.
type HealthInput struct {
	Repo string `json:"repo,omitempty" doc:"absolute path of a repository" door:"mcp"`
}

// HealthOutput says whether gavel can work here. Without a repository it is the global probe.
type HealthOutput struct {
	SchemaVersion string     `json:"schema_version"`
	Version       string     `json:"version"`
	Protocol      string     `json:"protocol"`
	DepsGlobal    DepsGlobal `json:"deps_global"`
	DepsRepo      *DepsRepo  `json:"deps_repo"`        // null when no repository was given or detection failed
	DepsReason    string     `json:"deps_repo_reason"` // why DepsRepo is null; empty when it is not
}

// DepsGlobal is what gavel needs wherever it runs: version numbers, null for a tool that cannot be used.
type DepsGlobal struct {
	Git *string `json:"git"`
}

// DepsRepo is what the checks of a repository need.
type DepsRepo struct {
	Profile string          `json:"profile"` // a name of check.Stacks, mixed or generic
	Tools   map[string]bool `json:"tools"`   // every tool that the stack's checks drive, and whether it is there
}

// Health answers without reading more than a list of file names.
var Health = Op[HealthInput, *HealthOutput]{
	Name:     "health",
	Doc:      "Probe gavel: version, protocol, git and, for a repository, its stack. Changes nothing.",
	Example:  "  gavel health\n  gavel health --repo . --json",
	Doors:    AllDoors,
	ReadOnly: true,
	Run:      runHealth,
	Render:   renderHealth,
}

func runHealth(ctx context.Context, env *Env, in HealthInput) (*HealthOutput, error) {
	out := &HealthOutput{
		SchemaVersion: gavel.WireVersion, Version: env.Version, Protocol: gavel.WireVersion,
		DepsReason: "no repository was given",
	}
	version, err := git.Version(ctx)
	if err == nil {
		out.DepsGlobal.Git = &version
	} else if isCancelled(err) {
		return nil, err
	}
	repo, err := in.open(ctx, env)
	if err != nil || repo == nil {
		return out, err
	}
	defer repo.Close()
	return out, out.detect(ctx, env, repo)
}

// open opens the repository to look at, nil where there is none. Only a person stands in a folder: over other doors it
// is the one that was given.
func (in HealthInput) open(ctx context.Context, env *Env) (*git.Repo, error) {
	if in.Repo == "" && env.Door == CLI {
		return optionalRepo(ctx, env)
	}
	if in.Repo == "" {
		return nil, nil
	}
	return openRepo(ctx, env, in.Repo)
}

// detect fills in the repository's part. A list of files that cannot be had is a reason, not an error.
func (o *HealthOutput) detect(ctx context.Context, env *Env, repo *git.Repo) error {
	stacks, err := check.StacksOf(repo.WorktreeFiles(ctx, repo.Root))
	switch {
	case err == nil:
		tools := check.Tools(stacks, check.Environ(env.Getenv), repo.Root)
		o.DepsRepo, o.DepsReason = &DepsRepo{Profile: check.ProfileOf(stacks), Tools: tools}, ""
	case isCancelled(err):
		return err
	default:
		o.DepsReason = "the stack could not be detected: " + gavel.AsError(err).Message
	}
	return nil
}

func renderHealth(w io.Writer, o *HealthOutput, _ RenderOptions) error {
	version := "not usable"
	if o.DepsGlobal.Git != nil {
		version = *o.DepsGlobal.Git
	}
	stack := "not detected: " + o.DepsReason
	if o.DepsRepo != nil {
		stack = o.DepsRepo.Profile
	}
	_, err := fmt.Fprintf(w, "gavel %s, protocol %s\ngit: %s\nstack: %s\n", o.Version, o.Protocol, version, stack)
	return err
}
