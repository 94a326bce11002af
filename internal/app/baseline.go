package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gavel-review/gavel/internal/store"
)

// BaselineInput asks for a new baseline.
type BaselineInput struct {
	Path []string `json:"path,omitempty" doc:"only these files and folders"`
}

// BaselineOutput is the baseline that was written.
type BaselineOutput struct {
	Path     string `json:"path"`
	Findings int    `json:"findings"`
	Distinct int    `json:"distinct"`
}

// BaselineUpdate writes down every finding that the work tree has today.
var BaselineUpdate = Op[BaselineInput, *BaselineOutput]{
	Name: "baseline update",
	Doc:  "Write the findings that the repository has today to .gavel/baseline.json, so that only new ones count.",
	Long: `The file takes effect once it is on the branch that changes are merged into: a baseline that a change brings
along settles nothing in that change.`,
	Doors:      CLI,
	Positional: "path",
	Run:        runBaselineUpdate,
	Render: func(w io.Writer, o *BaselineOutput, _ RenderOptions) error {
		_, err := fmt.Fprintf(w, "%s: findings: %d, distinct: %d\ncommit it: it counts once it is on the branch that changes are merged into\n", o.Path, o.Findings, o.Distinct)
		return err
	},
}

func runBaselineUpdate(ctx context.Context, env *Env, in BaselineInput) (*BaselineOutput, error) {
	repo, err := openRepo(ctx, env, "")
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	out, err := scanTree(ctx, env, repo.Root, ScanInput{Path: in.Path}, repo)
	if err != nil {
		return nil, err
	}
	prints := make(map[string]int)
	total := 0
	for _, f := range append(out.Findings, out.Settled...) {
		if !f.Descriptive {
			prints[f.Fingerprint]++
			total++
		}
	}
	path := filepath.Join(repo.Root, filepath.FromSlash(BaselinePath))
	if err := store.WriteBaseline(path, prints); err != nil {
		return nil, err
	}
	return &BaselineOutput{path, total, len(prints)}, nil
}
