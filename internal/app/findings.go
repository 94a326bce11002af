package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// FindingsInput asks for a page of a run's findings.
type FindingsInput struct {
	Repo        string `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
	RunID       string `json:"run_id,omitempty" doc:"a run; default: the latest for HEAD"`
	Severity    string `json:"severity,omitempty" doc:"SARIF level: error, warning, note"`
	MinSeverity string `json:"min_severity,omitempty" doc:"leave out what is below it" enum:"critical,high,medium,low,info"`
	Path        string `json:"path,omitempty" doc:"plain prefix; ends in / for a folder"`
	NewOnly     bool   `json:"new_only,omitempty" doc:"only what the change brings"`
	Cursor      string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Limit       *int   `json:"limit,omitempty" doc:"items a page: 1 to 1000, by default 100"`
}

// FindingsOutput is a page.
type FindingsOutput struct {
	SchemaVersion string              `json:"schema_version"`
	RunID         string              `json:"run_id"`
	Items         []store.FindingItem `json:"items"`
	Total         int                 `json:"total"`
	NextCursor    *string             `json:"next_cursor"` // null on the last page
}

// Findings pages through what a run has found.
var Findings = Op[FindingsInput, *FindingsOutput]{
	Name:       "findings",
	Doc:        "Page through the findings of a completed run or a kept review, in the order of file, line and rule.",
	Example:    "  gavel findings --new-only\n  gavel findings 20261130-101500-0123456789ab --path internal/ --json",
	Doors:      AllDoors,
	ReadOnly:   true,
	Positional: "run_id",
	Run: func(ctx context.Context, env *Env, in FindingsInput) (*FindingsOutput, error) {
		repo, err := openRepo(ctx, env, in.Repo)
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		return in.page(env, repo)
	},
	Render: renderFindings,
}

// page reads one page. An agent's answer has a size that it must not pass: there a page is made shorter until it fits,
// and the cursor leads to the rest.
func (in FindingsInput) page(env *Env, repo *git.Repo) (*FindingsOutput, error) {
	id, read, err := findingsPages(env, repo, in.RunID)
	if err != nil {
		return nil, err
	}
	q := store.FindingQuery{Severity: in.Severity, MinSeverity: in.MinSeverity, Path: in.Path, NewOnly: in.NewOnly, Cursor: in.Cursor, Limit: pageSize(in.Limit)}
	for {
		page, err := read(q)
		if err != nil {
			return nil, err
		}
		out := &FindingsOutput{
			SchemaVersion: gavel.WireVersion, RunID: id, Items: append([]store.FindingItem{}, page.Items...), Total: page.Total, NextCursor: cursor(page.NextCursor),
		}
		if env.Door == CLI || len(out.Items) <= 1 || sizeOf(out) <= answerBytes {
			return out, nil
		}
		q.Limit = len(out.Items) / 2
	}
}

// pageSize is a limit as the store takes it: 0 is its default, and a limit that somebody gave is at least one.
func pageSize(limit *int) int {
	if limit == nil {
		return 0
	}
	return max(*limit, 1)
}

// answerBytes is what an answer to an agent may have, in bytes of JSON.
const answerBytes = 38 << 10

func sizeOf(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(data)
}

// cursor is null where there is no further page.
func cursor(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}

func renderFindings(w io.Writer, o *FindingsOutput, _ RenderOptions) error {
	var b strings.Builder
	for _, f := range o.Items {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		fmt.Fprintf(&b, "%s  %s  %s", place, f.Level, f.Rule)
		if f.Baseline != gavel.BaselineNew {
			fmt.Fprintf(&b, "  (%s)", f.Baseline)
		}
		if len(f.Settled) > 0 {
			fmt.Fprintf(&b, "  (does not count: %s)", strings.Join(f.Settled, ", "))
		}
		fmt.Fprintf(&b, "\n    %s\n", strings.ReplaceAll(f.Message, "\n", "\n    "))
	}
	fmt.Fprintf(&b, "%d of %d findings of run %s\n", len(o.Items), o.Total, o.RunID)
	if o.NextCursor != nil {
		fmt.Fprintf(&b, "next page: --cursor %s\n", *o.NextCursor)
	}
	_, err := io.WriteString(w, untrusted.VisibleText(b.String()))
	return err
}
