package app

import (
	"context"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
)

// ReviewInput is what a review can be asked for.
type ReviewInput struct {
	Repo        string   `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
	Staged      *bool    `json:"staged,omitempty" doc:"review the staged change (default)"`
	Unstaged    *bool    `json:"unstaged,omitempty" doc:"index against work tree, with untracked"`
	Diff        []string `json:"diff,omitempty" doc:"revisions: A B, A..B, A...B or A"`
	Patch       string   `json:"patch,omitempty" doc:"review a diff from a file, - is stdin" door:"cli"`
	Provider    string   `json:"provider,omitempty" doc:"reviewer; none = detectors only"`
	Model       string   `json:"model,omitempty" doc:"model of the provider"`
	FailOn      string   `json:"fail_on,omitempty" doc:"gate: lowest severity that fails" enum:"critical,high,medium,low,info,any,none"`
	MinSeverity string   `json:"min_severity,omitempty" doc:"hide findings below it" enum:"critical,high,medium,low,info"`
	NoFlaky     bool     `json:"no_flaky,omitempty" doc:"skip the flaky-test detector"`
	Only        []string `json:"only,omitempty" doc:"only these categories, with commas" door:"cli"`
	Rules       string   `json:"rules,omitempty" doc:"more secret rules, from a TOML file" door:"cli"`
	File        []string `json:"file,omitempty" doc:"only these files (path or glob)"`
	Dir         []string `json:"dir,omitempty" doc:"only these folders (path or glob)"`
	ExcludeFile []string `json:"exclude_file,omitempty" doc:"leave these files out"`
	ExcludeDir  []string `json:"exclude_dir,omitempty" doc:"leave these folders out"`
	Author      []string `json:"author,omitempty" doc:"commits by this author (name, address)"`
	Committer   []string `json:"committer,omitempty" doc:"commits by this committer"`
	StartDate   string   `json:"start_date,omitempty" doc:"commits since this day, YYYY-MM-DD"`
	EndDate     string   `json:"end_date,omitempty" doc:"commits up to this day, YYYY-MM-DD"`
	Text        string   `json:"text,omitempty" doc:"commits with it in message or branch"`
	MaxCommits  int      `json:"max_commits,omitempty" doc:"at most so many commits; 0 = 200"`
	Merges      bool     `json:"merges,omitempty" doc:"merge commits too"`
	Strict      bool     `json:"strict,omitempty" doc:"exit 2 on CONDITIONAL" door:"cli"`
	Workers     int      `json:"workers,omitempty" doc:"files at once; 0 = one a core" door:"cli"`

	extra      *detect.SecretRules // what Rules names, once read
	lastCommit bool                // HEAD against its first parent, what guard judges where nothing is staged
}

// ReviewOutput is a review: the document, and the verdict that it hints at.
type ReviewOutput struct {
	*gavel.Document
	Verdict gavel.Verdict         `json:"-"`
	Mode    gavel.EnforcementMode `json:"-"`
	notice  string
	hint    string // what to do about the notice, or ""
	accept  report.Acceptance
	exit    int
}

// Notice is a line for people beside the document, or "".
func (o *ReviewOutput) Notice() string { return o.notice }

// Hint is what to do about the notice, or "".
func (o *ReviewOutput) Hint() string { return o.hint }

// ExitCode implements [Exiter].
func (o *ReviewOutput) ExitCode() int { return o.exit }

// Review judges a change.
var Review = Op[ReviewInput, *ReviewOutput]{
	Name: "review",
	Doc:  "Review a change before it is committed or merged: secrets, tests, hygiene, policy. Answers with findings, a gate and a verdict.",
	Long: `Reviews the staged change by default; --unstaged, revisions or --patch choose another one. With --author, --committer,
--start-date, --end-date, --text, --max-commits or --merges it reviews commits instead, each against its first parent:
those that match every kind of filter, of HEAD's history or of the revisions' (B without A for A..B), the newest first.
Dates are the author's.
Exit code: 0 pass (or conditional), 1 block, 2 conditional with --strict, 3 no trustworthy verdict, 64 usage.`,
	Example:    "  gavel review\n  gavel review HEAD~3 HEAD\n  gavel review main...feature --fail-on high --json\n  git diff | gavel review --patch -\n  gavel review --author mallory --start-date 2026-01-01 main...feature",
	Doors:      AllDoors,
	ReadOnly:   true,
	Positional: "diff",
	Formats:    []string{"sarif", "markdown"},
	Run:        runReview,
	Render:     renderDocument,
}

func runReview(ctx context.Context, env *Env, in ReviewInput) (*ReviewOutput, error) {
	r, err := newReviewer(ctx, env, in)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.review(ctx)
}

// scope turns the arguments into what is compared; two scopes at once are a mistake worth naming.
func (in ReviewInput) scope() (git.Scope, error) {
	staged, unstaged := in.Staged != nil && *in.Staged, in.Unstaged != nil && *in.Unstaged
	invalid := func(format string, args ...any) (git.Scope, error) {
		return git.Scope{}, gavel.Errorf(gavel.InvalidArgs, format, args...)
	}
	switch {
	case staged && unstaged:
		return invalid("staged and unstaged exclude each other")
	case len(in.Diff) > 0 && (staged || unstaged):
		return invalid("diff replaces the scope: leave staged and unstaged out")
	case in.Patch != "" && (staged || unstaged || len(in.Diff) > 0):
		return invalid("patch replaces the scope: leave staged, unstaged and revisions out")
	case in.Staged != nil && !staged && !unstaged && len(in.Diff) == 0 && in.Patch == "":
		return invalid("staged: false alone leaves nothing to review: give unstaged or diff")
	case in.lastCommit:
		return git.Scope{Kind: git.LastCommit}, nil
	case len(in.Diff) > 0:
		return git.Scope{Kind: git.Revisions, Revisions: in.Diff}, nil
	case unstaged:
		return git.Scope{Kind: git.Unstaged}, nil
	}
	return git.Scope{Kind: git.Staged}, nil
}

func (in ReviewInput) filters() []string {
	var all []string
	for _, f := range []struct {
		name   string
		values []string
	}{{"file", in.File}, {"dir", in.Dir}, {"exclude_file", in.ExcludeFile}, {"exclude_dir", in.ExcludeDir}} {
		for _, v := range f.values {
			all = append(all, f.name+"="+v)
		}
	}
	return append(all, in.commitFilters()...)
}

// validate looks at every word before anything is read or paid for.
func (in ReviewInput) validate() error {
	if in.FailOn != "" {
		if _, err := gavel.ParseThreshold(in.FailOn); err != nil {
			return gavel.Errorf(gavel.InvalidArgs, "fail_on: %w", err)
		}
	}
	if in.MinSeverity != "" {
		if _, err := gavel.ParseSeverity(in.MinSeverity); err != nil {
			return gavel.Errorf(gavel.InvalidArgs, "min_severity: %w", err)
		}
	}
	if _, err := in.categories(); err != nil {
		return err
	}
	if err := in.checkSelection(); err != nil {
		return err
	}
	if in.Workers < 0 || in.Workers > 256 {
		return gavel.Errorf(gavel.InvalidArgs, "workers: %d is not between 0 and 256", in.Workers)
	}
	switch in.Provider {
	case "", "none":
		if in.Model != "" {
			return gavel.Errorf(gavel.InvalidArgs, "model: %q needs a provider", in.Model)
		}
		return nil
	case "host":
		return gavel.Errorf(gavel.InvalidArgs, "provider: a host reviews through review_brief and review_submit")
	}
	return gavel.Errorf(gavel.InvalidArgs, "provider: %q is not known", in.Provider).WithHint("this version reviews with its detectors only: use none, or leave provider out")
}

func noChanges(scope git.Scope, filters []string) *gavel.Error {
	what := "nothing is staged"
	switch {
	case scope.Kind == git.Unstaged:
		what = "the work tree has no unstaged change"
	case scope.Kind == git.Revisions:
		what = "no difference in " + strings.Join(scope.Revisions, " ")
	}
	if len(filters) > 0 {
		return gavel.Errorf(gavel.NoChanges, "no changed path is left by the filters %s", strings.Join(filters, ", ")).WithHint("check the filter's spelling: paths are relative to the repository's top")
	}
	return gavel.Errorf(gavel.NoChanges, "%s", what)
}
