package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// maxDocument bounds a document that guard reads, in bytes.
const maxDocument = 256 << 20

// GuardInput names a document and the change that it must be about.
type GuardInput struct {
	FromJSON      string   `json:"from_json,omitempty" doc:"document to judge, - is stdin"`
	Run           string   `json:"run,omitempty" doc:"id of a kept review"`
	Staged        *bool    `json:"staged,omitempty" doc:"the staged change (default)"`
	Unstaged      *bool    `json:"unstaged,omitempty" doc:"index against work tree, with untracked"`
	Diff          []string `json:"diff,omitempty" doc:"revisions: A B, A..B, A...B or A"`
	AllowNarrowed bool     `json:"allow_narrowed,omitempty" doc:"accept filters and detectors off"`
	Rules         string   `json:"rules,omitempty" doc:"the secret rules it was made with"`
	MaxCritical   *int     `json:"max_critical,omitempty" doc:"at most so many critical findings"`
	MaxHigh       *int     `json:"max_high,omitempty" doc:"at most so many high findings"`
	MaxMedium     *int     `json:"max_medium,omitempty" doc:"at most so many medium findings"`
	MaxLow        *int     `json:"max_low,omitempty" doc:"at most so many low findings"`
	MaxTotal      *int     `json:"max_total,omitempty" doc:"at most so many findings"`
	NewOnly       *bool    `json:"new_only,omitempty" doc:"count new findings only"`
}

// GuardOutput is what policy says of the document.
type GuardOutput struct {
	SchemaVersion string            `json:"schema_version"`
	Passed        bool              `json:"passed"`
	RunID         string            `json:"run_id"`
	Verdict       *gavel.Decision   `json:"verdict_hint"`
	Counts        gavel.Counts      `json:"counts"`
	Total         int               `json:"total"`
	Violations    []gavel.Violation `json:"violations"`
	Caveats       []string          `json:"caveats"`
	exit          int
}

// ExitCode implements [Exiter].
func (o *GuardOutput) ExitCode() int { return o.exit }

// Guard applies policy to a review document that somebody hands in.
var Guard = Op[GuardInput, *GuardOutput]{
	Name: "guard",
	Doc:  "Apply policy to a review document, after recomputing everything in it that can be recomputed.",
	Long: `The document must be whole, of this version, and about exactly this change: trees, diff digest and every detector
finding are computed again and compared. A stale, degraded, truncated, foreign or edited document is exit 3.
A document of selected commits is narrowed by its filters: --allow-narrowed selects and judges the commits again.
Bounds come from [policy.guard] of the trusted base; flags only tighten them. They come on top of the verdict.
The default change is the index against HEAD or, where nothing is staged, HEAD against its first parent.`,
	Example:    "  gavel review --json -o review.json && gavel guard --from-json review.json\n  gavel guard --run 20261130-101500-0123456789ab --max-medium 0",
	Doors:      CLI,
	ReadOnly:   true,
	Positional: "diff",
	Run:        runGuard,
	Render:     renderGuard,
}

func runGuard(ctx context.Context, env *Env, in GuardInput) (*GuardOutput, error) {
	doc, err := in.document(ctx, env)
	if err != nil {
		return nil, err
	}
	if err := acceptable(doc, in.AllowNarrowed); err != nil {
		return nil, err
	}
	ours, policy, err := in.recompute(ctx, env, doc)
	if err != nil {
		return nil, err
	}
	if err := sameReview(doc, ours.Document); err != nil {
		return nil, err
	}
	return in.judge(doc, ours, policy)
}

// cannotTrust is exit 3: no verdict can be built on the document.
func cannotTrust(format string, args ...any) *gavel.Error {
	return gavel.Errorf(gavel.Refused, "the document cannot be trusted: "+format, args...).WithHint("review the change again: gavel review --json -o review.json")
}

func (in GuardInput) document(ctx context.Context, env *Env) (*gavel.Document, error) {
	var source io.Reader
	switch {
	case (in.FromJSON == "") == (in.Run == ""):
		return nil, gavel.Errorf(gavel.InvalidArgs, "give either --from-json FILE or --run RUN_ID")
	case in.Run != "":
		repo, err := openRepo(ctx, env, "")
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		data, err := store.Open(env.Getenv).Review(repo.ID, in.Run)
		if err != nil {
			return nil, err
		}
		source = bytes.NewReader(data)
	default:
		f, err := env.input(ctx, in.FromJSON)
		if ctx.Err() != nil {
			return nil, interrupted(ctx)
		}
		if err != nil {
			return nil, gavel.Errorf(gavel.InvalidArgs, "from_json: %w", err)
		}
		defer f.Close()
		source = f
	}
	doc, err := report.ReadDocument(source, maxDocument)
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	if err != nil {
		return nil, cannotTrust("%s", gavel.AsError(err).Message)
	}
	return doc, nil
}

// acceptable refuses what says of itself that it is not the whole truth.
func acceptable(d *gavel.Document, allowNarrowed bool) error {
	switch {
	case d.Truncated != nil:
		return cannotTrust("it was truncated to %d of %d findings", d.Truncated.Returned, d.Truncated.Total).WithHint("use the kept one: gavel guard --run %s", d.RunID)
	case d.FindingsTotal != len(d.Findings)+len(d.Settled):
		return cannotTrust("it says %d findings and holds %d", d.FindingsTotal, len(d.Findings)+len(d.Settled))
	case d.VerdictHint == nil || d.Meta.DegradeReason != "":
		return cannotTrust("it was not judged (%s)", cmp.Or(d.Meta.DegradeReason, "no verdict"))
	case d.Meta.Coverage.Files == 0:
		return cannotTrust("it looked at no file")
	case len(narrowed(d.Meta.Repo.Filters)) > 0 && !allowNarrowed:
		return cannotTrust("its change was narrowed by filters %v", narrowed(d.Meta.Repo.Filters)).WithHint("review without filters, or pass --allow-narrowed")
	case d.Meta.NoFlaky && !allowNarrowed:
		return cannotTrust("a detector was off (no_flaky)").WithHint("review with all detectors, or pass --allow-narrowed")
	}
	for _, f := range append(slices.Clone(d.Findings), d.Settled...) {
		if f.Source != gavel.SourceDetector {
			return cannotTrust("%s at %s:%d comes from a %s, and nothing vouches for it", f.Rule, f.File, f.Line, f.Source)
		}
	}
	return nil
}

// recompute reviews the change again, with the narrowing that the document confesses.
func (in GuardInput) recompute(ctx context.Context, env *Env, d *gavel.Document) (*ReviewOutput, gavel.Policy, error) {
	review := ReviewInput{Staged: in.Staged, Unstaged: in.Unstaged, Diff: in.Diff, NoFlaky: d.Meta.NoFlaky, Rules: in.Rules}
	if t := d.Summary.Gate.FailOn; t != nil {
		review.FailOn = string(*t)
	}
	if m := d.Meta.MinSeverity; m != nil {
		review.MinSeverity = m.String()
	}
	if err := review.readRules(ctx, env); err != nil {
		return nil, gavel.Policy{}, err
	}
	if err := review.sameRules(d.Meta.Repo.Filters); err != nil {
		return nil, gavel.Policy{}, err
	}
	if err := review.applyFilters(d.Meta.Repo.Filters); err != nil {
		return nil, gavel.Policy{}, err
	}
	ours, policy, err := recomputeOnce(ctx, env, review)
	if err != nil {
		return nil, policy, err
	}
	if ours.Meta.FilteredCommits == nil && ours.Meta.Repo.BaseTree == ours.Meta.Repo.HeadTree && len(in.Diff) == 0 && (in.Unstaged == nil || !*in.Unstaged) {
		review.Staged, review.Unstaged, review.lastCommit = nil, nil, true
		ours, policy, err = recomputeOnce(ctx, env, review)
	}
	return ours, policy, err
}

func recomputeOnce(ctx context.Context, env *Env, in ReviewInput) (*ReviewOutput, gavel.Policy, error) {
	r, err := newReviewer(ctx, env, in)
	if err != nil {
		return nil, gavel.Policy{}, err
	}
	defer r.close()
	out, err := r.judgeRepo(ctx)
	return out, r.policy, err
}

func (in *ReviewInput) applyFilters(filters []string) error {
	for _, f := range filters {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "file":
			in.File = append(in.File, value)
		case "dir":
			in.Dir = append(in.Dir, value)
		case "exclude_file":
			in.ExcludeFile = append(in.ExcludeFile, value)
		case "exclude_dir":
			in.ExcludeDir = append(in.ExcludeDir, value)
		case "only":
			in.Only = append(in.Only, value)
			if _, err := in.categories(); err != nil {
				return cannotTrust("unknown filter %q", f)
			}
		case "rules": // compared before
		default:
			if known, err := in.applyCommitFilter(name, value); !known || err != nil {
				return cannotTrust("unknown filter %q", f)
			}
		}
	}
	return nil
}

// sameRules wants the document to have been made with the very rules that guard was given, or both without any.
func (in *ReviewInput) sameRules(filters []string) error {
	theirs, ours := "", ""
	for _, f := range filters {
		if digest, ok := strings.CutPrefix(f, rulesFilter); ok {
			theirs = digest
		}
	}
	if in.extra != nil {
		ours = in.extra.Digest
	}
	if theirs == ours {
		return nil
	}
	return cannotTrust("its own secret rules are %q, those given here %q", theirs, ours).WithHint("give the file that the review was made with: gavel guard --rules FILE")
}

// sameReview compares what was handed in with what was computed just now.
func sameReview(theirs, ours *gavel.Document) error {
	t, o := theirs.Meta.Repo, ours.Meta.Repo
	for _, field := range []struct{ name, theirs, ours string }{
		{"repository", t.ID, o.ID},
		{"base tree", t.BaseTree, o.BaseTree},
		{"head tree", t.HeadTree, o.HeadTree},
		{"diff digest", t.DiffDigest, o.DiffDigest},
		{"gavel version", theirs.Meta.ToolVersion, ours.Meta.ToolVersion},
	} {
		if field.theirs != field.ours {
			return cannotTrust("its %s is %q, this change's is %q", field.name, field.theirs, field.ours)
		}
	}
	if !jsonEqual(theirs.Meta.Coverage, ours.Meta.Coverage) {
		return cannotTrust("its coverage differs from what is there now")
	}
	if !jsonEqual(wholeSet(theirs), wholeSet(ours)) {
		return cannotTrust("its findings differ from what the detectors find now")
	}
	if !jsonEqual(lasting(theirs), lasting(ours)) {
		return cannotTrust("it was edited: its verdict, summary or settings are not those of this review")
	}
	return nil
}

// lasting is the document without what two reviews of one change may say differently: when, how long, under which id,
// signed by whom, and which remarks about the layers of policy.
func lasting(d *gavel.Document) gavel.Document {
	c := *d
	c.RunID, c.Signature = "", nil
	c.Meta.Timestamp, c.Meta.LatencyMS, c.Meta.Notes = time.Time{}, 0, nil
	return c
}

// wholeSet is every finding of a document with what min_severity did to it undone.
func wholeSet(d *gavel.Document) []gavel.Finding {
	all := slices.Concat(d.Findings, d.Settled)
	for i := range all {
		all[i].Settled = slices.DeleteFunc(slices.Clone(all[i].Settled), func(s gavel.Settlement) bool { return s.Reason == gavel.ReasonBelowThreshold })
		if len(all[i].Settled) == 0 {
			all[i].Settled = nil
		}
	}
	slices.SortStableFunc(all, gavel.CompareFindings)
	return all
}

func jsonEqual(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// judge applies the bounds to our own recomputation: nothing of the document itself is believed any longer.
func (in GuardInput) judge(doc *gavel.Document, ours *ReviewOutput, policy gavel.Policy) (*GuardOutput, error) {
	layer, err := in.layer()
	if err != nil {
		return nil, err
	}
	policy, loosened := policy.Tighten(gavel.PolicyLayer{Guard: &layer})
	out := &GuardOutput{SchemaVersion: gavel.WireVersion, RunID: doc.RunID, Verdict: ours.VerdictHint, Caveats: append([]string{}, ours.Verdict.Caveats...)}
	for _, l := range loosened {
		out.Caveats = append(out.Caveats, "would loosen "+l+"; ignored")
	}
	all := wholeSet(ours.Document)
	match := func(pattern, path string) bool {
		f, err := git.NewFilter([]string{pattern}, nil, nil, nil)
		d, errDir := git.NewFilter(nil, []string{pattern}, nil, nil)
		return err == nil && f.Match(path, "") || errDir == nil && d.Match(path, "")
	}
	out.Counts, out.Violations = policy.Guard.Apply(all, match)
	out.Total = out.Counts.Total()
	out.conclude(ours, policy)
	return out, nil
}

// conclude derives outcome and exit code. Passed stays true to the evidence in every mode.
func (o *GuardOutput) conclude(ours *ReviewOutput, policy gavel.Policy) {
	v := ours.Verdict
	broken := v.Decision == gavel.Block || v.Pending
	o.exit = v.Exit(gavel.ExitOptions{Mode: policy.Mode})
	if len(o.Violations) > 0 { // bounds come on top of the verdict: no layer may buy a pass with a wide one
		broken = true
		o.exit = v.Exit(gavel.ExitOptions{Mode: policy.Mode, FailOn: gavel.Any, Tripped: true})
	}
	o.Passed = !broken && !v.Incomplete && v.Decision != gavel.NoDecision
}

func (in GuardInput) layer() (gavel.GuardLayer, error) {
	l := gavel.GuardLayer{Total: in.MaxTotal, NewOnly: in.NewOnly, Thresholds: map[string]int{}}
	for severity, n := range map[gavel.Severity]*int{gavel.Critical: in.MaxCritical, gavel.High: in.MaxHigh, gavel.Medium: in.MaxMedium, gavel.Low: in.MaxLow} {
		if n != nil {
			l.Thresholds[severity.String()] = *n
		}
	}
	if faults := (gavel.PolicyLayer{Guard: &l}).Validate(); len(faults) > 0 {
		return l, gavel.Errorf(gavel.InvalidArgs, "%s", strings.Join(faults, "; "))
	}
	return l, nil
}

func renderGuard(w io.Writer, o *GuardOutput, _ RenderOptions) error {
	word := "PASSED"
	switch {
	case o.exit == gavel.ExitNoVerdict:
		word = "NOT JUDGED"
	case !o.Passed:
		word = "FAILED"
	}
	fmt.Fprintf(w, "guard %s: the document holds; findings that count: %d\n", word, o.Total)
	for _, v := range o.Violations {
		fmt.Fprintf(w, "  %s: %d, at most %d allowed\n", v.Bound, v.Actual, v.Allowed)
	}
	for _, c := range o.Caveats {
		fmt.Fprintf(w, "  %s\n", c)
	}
	return nil
}
