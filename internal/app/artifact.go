package app

import (
	"context"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// ArtifactInput names a file of a run.
type ArtifactInput struct {
	Repo     string `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
	RunID    string `json:"run_id,omitempty" doc:"a run; default: the latest for HEAD"`
	Artifact string `json:"artifact,omitempty" doc:"path inside the pack"`
	Cursor   string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Limit    *int   `json:"limit,omitempty" doc:"lines a page: 1 to 5000, by default 200"`
}

// ArtifactOutput is a page of a file.
type ArtifactOutput struct {
	SchemaVersion string  `json:"schema_version"`
	RunID         string  `json:"run_id"`
	Artifact      string  `json:"artifact"`
	Content       string  `json:"content"`
	TotalLines    int     `json:"total_lines"`
	NextCursor    *string `json:"next_cursor"` // null on the last page
	PartialLine   bool    `json:"partial_line,omitempty"`
}

// Artifact reads a file of a run.
var Artifact = Op[ArtifactInput, *ArtifactOutput]{
	Name:       "artifact",
	Doc:        "Read a file of a run's pack, page by page. AI_INDEX.md says what is where. A kept review has review.json.",
	Example:    "  gavel artifact AI_INDEX.md\n  gavel artifact run.log --run-id 20261130-101500-0123456789ab",
	Doors:      AllDoors,
	Tool:       "read_artifact",
	ReadOnly:   true,
	Positional: "artifact",
	Run: func(ctx context.Context, env *Env, in ArtifactInput) (*ArtifactOutput, error) {
		if in.Artifact == "" && env.Door == CLI {
			in.Artifact = store.PackIndex
		}
		repo, err := openRepo(ctx, env, in.Repo)
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		id, page, err := artifactPage(env, repo, in)
		if err != nil {
			return nil, err
		}
		return &ArtifactOutput{
			SchemaVersion: gavel.WireVersion, RunID: id, Artifact: in.Artifact, Content: page.Content, TotalLines: page.TotalLines,
			NextCursor: cursor(page.NextCursor), PartialLine: page.PartialLine,
		}, nil
	},
	Render: func(w io.Writer, o *ArtifactOutput, _ RenderOptions) error {
		_, err := io.WriteString(w, untrusted.VisibleText(o.Content))
		return err
	},
}
