package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
	"github.com/gavel-review/gavel/internal/detect"
)

// origin is where the files of a change or a scan come from.
type origin struct {
	files iter.Seq2[*gavel.File, error]
	// fill, where set, reads a file's content when a worker takes it up, and returns its text.
	fill func(ctx context.Context, f *gavel.File) string
	// text returns the whole new side of a file; nil where only hunks are known.
	text func(ctx context.Context, f *gavel.File) (string, error)
	// trusted returns a file of the trusted base; nil where there is none.
	trusted func(ctx context.Context, path string) (text string, exists bool, err error)
	whole   bool // every line counts as changed
}

// judged is what the detectors made of an origin.
type judged struct {
	Findings     []gavel.Finding
	Suppressions []gavel.Suppression
	Skipped      []gavel.Skip
	Files        int
	Notes        []string
	Untouched    []gavel.Finding // see [gavel.Settlements]
	Digest       string          // of every path with its content, where the origin reads it; else ""
	Broken       string          // a detector failed on the change as a whole: something was not judged
}

// fileResult is one file's share, kept in the order of the files so that workers cannot be told apart.
type fileResult struct {
	index        int
	findings     []gavel.Finding
	suppressions []gavel.Suppression
	untouched    []gavel.Finding
	skip         *gavel.Skip
	summary      detect.FileSummary
	notes        []string
	content      [sha256.Size]byte // of the text that the origin read
}

// judge runs the detectors over every file of the origin. Every path ends up reviewed or in Skipped.
type judge struct {
	origin    origin
	detectors []detect.Detector
	workers   int
	settings  judgeSettings
	// sink, where set, takes each file's share as soon as it is there, in any order and one at a time; nothing is then
	// collected, and no detector sees the change as a whole.
	sink func(index int, r *fileResult)
}

func newJudge(o origin, s judgeSettings) *judge {
	j := &judge{origin: o, settings: s, workers: s.Workers}
	j.detectors = detect.WithSecretRules(detect.All(), s.Rules)
	if len(s.Only) > 0 {
		j.detectors = detect.Only(j.detectors, s.Only...)
	}
	if s.NoFlaky {
		j.detectors = detect.Without(j.detectors, gavel.CategoryFlaky)
	}
	if j.workers <= 0 {
		j.workers = runtime.GOMAXPROCS(0)
	}
	return j
}

// run feeds the workers one file at a time: at most one file's hunks a worker are held, and one in the reader.
//
// The reader is called by this goroutine, so that a bug in it ends in the caller's recover.
func (j *judge) run(ctx context.Context) (*judged, error) {
	collectSeldom()
	group, ctx := errgroup.WithContext(ctx)
	type job struct {
		index int
		file  *gavel.File
	}
	jobs := make(chan job)
	var mu sync.Mutex
	var results []fileResult
	for range j.workers {
		group.Go(func() error {
			for job := range jobs {
				r, err := j.file(ctx, job.file)
				if err != nil {
					return err
				}
				r.index = job.index
				mu.Lock()
				if j.sink != nil {
					j.sink(r.index, &r)
				} else {
					results = append(results, r)
				}
				mu.Unlock()
			}
			return nil
		})
	}
	err := func() error {
		defer close(jobs)
		n := 0
		for f, err := range j.origin.files {
			if err != nil {
				return err
			}
			select {
			case jobs <- job{n, f}:
				n++
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	}()
	if failed := group.Wait(); failed != nil {
		err = failed // the cause of the reader's cancellation, if it had one
	}
	if err != nil {
		return nil, err
	}
	if j.sink != nil {
		return nil, nil
	}
	slices.SortFunc(results, func(a, b fileResult) int { return cmp.Compare(a.index, b.index) })
	return j.collect(results), nil
}

func (j *judge) collect(results []fileResult) *judged {
	out := &judged{Files: len(results)}
	if j.origin.fill != nil {
		out.Digest = contentDigest(results)
	}
	summary := detect.Summary{Whole: j.origin.whole, Files: make([]detect.FileSummary, 0, len(results))}
	for _, r := range results {
		out.Findings = append(out.Findings, r.findings...)
		out.Suppressions = append(out.Suppressions, r.suppressions...)
		out.Notes = append(out.Notes, r.notes...)
		if r.skip != nil {
			out.Skipped = append(out.Skipped, *r.skip)
		}
		summary.Files = append(summary.Files, r.summary)
	}
	out.Untouched = mostUntouched(results)
	out.Findings = append(out.Findings, detect.Finish(j.detectors, &summary)...)
	if summary.Err != nil {
		out.Broken = summary.Err.Error()
	}
	return out
}

// file judges one file. Whatever breaks on it costs that file, not the process: it is then not judged.
func (j *judge) file(ctx context.Context, f *gavel.File) (r fileResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			slog.Error("a file broke the review", "path", detect.ShownPath(f.Path), "panic", v, "stack", string(debug.Stack()))
			skip := &gavel.Skip{Path: detect.ShownPath(f.Path), Reason: gavel.SkipUnreadable, Detail: "this is a bug in gavel: it broke on this file"}
			r, err = fileResult{skip: skip, summary: detect.FileSummary{Path: f.Path, Status: f.Status, Skip: skip}}, nil
		}
	}()
	return j.judgeFile(ctx, f)
}

func (j *judge) judgeFile(ctx context.Context, f *gavel.File) (fileResult, error) {
	text := j.loader(ctx, f)
	revealed := reveal(f, text)
	r := fileResult{skip: f.Skip, content: j.contentOf(text)}
	if revealed != nil {
		r.skip = worseSkip(r.skip, f.Path, revealed)
	}
	if r.skip == nil {
		r.skip = classify(f, j.head(f, text))
	}
	f.Skip = r.skip // what is skipped is still searched for secrets
	result := detect.RunUntil(func() bool { return ctx.Err() != nil }, j.detectors, f, text, j.origin.whole)
	r.findings, r.summary = result.Findings, result.Summary
	if !j.origin.whole {
		markFresh(f, r.findings)
	}
	if result.Decoded && r.skip.Reason == gavel.SkipBinary {
		r.skip.Detail = "searched for secrets only"
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if result.Err != nil {
		r.skip = worseSkip(r.skip, f.Path, result.Err)
	}
	if err := j.untouched(f, text, &r); err != nil {
		r.skip = worseSkip(r.skip, f.Path, err)
	}
	if err := j.suppressions(ctx, f, text, &r); err != nil {
		return r, err
	}
	if r.skip != nil {
		r.skip.Path = detect.ShownPath(f.Path)
	}
	r.summary.Skip = r.skip
	return r, nil
}

// loader returns the file's whole text at most once read.
func (j *judge) loader(ctx context.Context, f *gavel.File) func() (string, error) {
	switch {
	case j.origin.fill != nil:
		text := j.origin.fill(ctx, f)
		return func() (string, error) { return text, nil }
	case j.origin.text == nil || f.NewID == "":
		return nil
	}
	return sync.OnceValues(func() (string, error) { return j.origin.text(ctx, f) })
}

// contentOf is the hash of a text that the origin has read already.
func (j *judge) contentOf(text func() (string, error)) (sum [sha256.Size]byte) {
	if j.origin.fill == nil {
		return sum
	}
	all, _ := text() // filled already
	h := sha256.New()
	io.WriteString(h, all) // never fails
	h.Sum(sum[:0])
	return sum
}

// contentDigest names the paths and what was read of them.
func contentDigest(results []fileResult) string {
	h := sha256.New()
	for _, r := range results {
		why := ""
		if r.skip != nil {
			why = string(r.skip.Reason)
		}
		fmt.Fprintf(h, "%q %s %x\n", r.summary.Path, why, r.content)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// worseSkip turns a failure into an unexpected skip, and never replaces one by an expected one.
func worseSkip(now *gavel.Skip, path string, err error) *gavel.Skip {
	if now != nil && !now.Reason.Expected() {
		return now
	}
	skip := &gavel.Skip{Path: path, Reason: gavel.SkipUnreadable, Detail: err.Error()}
	var known *gavel.Error
	if errors.As(err, &known) {
		skip.Detail = known.Message
	}
	return skip
}

// classify names the built-in reasons for which a path's text is not reviewed. The new path alone decides: a file
// that moves out of vendor/ is the project's own from then on.
func classify(f *gavel.File, head string) *gavel.Skip {
	switch {
	case code.LockFile(f.Path):
		return &gavel.Skip{Reason: gavel.SkipLockFile}
	case code.Vendored(f.Path):
		return &gavel.Skip{Reason: gavel.SkipVendored}
	case code.Generated(f.Path, head):
		return &gavel.Skip{Reason: gavel.SkipGenerated}
	}
	return nil
}

// head is the beginning of the new side, without a copy where the text is at hand.
func (j *judge) head(f *gavel.File, text func() (string, error)) string {
	if j.origin.fill == nil {
		return head(f)
	}
	all, _ := text() // filled already, and no error is possible
	return all[:min(len(all), headBytes)]
}

// bringsMarker looks at the text as a whole where every line of it counts.
func (j *judge) bringsMarker(f *gavel.File, text func() (string, error)) bool {
	if j.origin.fill == nil {
		return bringsMarker(f)
	}
	all, _ := text() // filled already
	return strings.Contains(all, gavel.SuppressionMarker)
}

// headBytes is how much of a text's beginning tells whether it was generated.
const headBytes = 4096

// head is the beginning of the new side as far as the first hunk shows it, else nothing. Of a file that was there before
// only lines that stay count: a change must not take a file out of its own review by writing a marker into it.
func head(f *gavel.File) string {
	if len(f.Hunks) == 0 || f.Hunks[0].NewStart > 1 {
		return ""
	}
	old := f.Status != gavel.Added && f.Status != gavel.Copied
	var b strings.Builder
	for _, l := range f.Hunks[0].Lines {
		if l.Op == gavel.Remove || l.Op == gavel.Add && old {
			continue
		}
		b.WriteString(l.Text[:min(len(l.Text), 2048)])
		b.WriteByte('\n')
		if b.Len() > headBytes {
			break
		}
	}
	return b.String()
}

// suppressions reads the markers of a file that has something to suppress, or that brings a marker. A marker that is
// not honoured is said, never silently ignored.
func (j *judge) suppressions(ctx context.Context, f *gavel.File, text func() (string, error), r *fileResult) error {
	if len(r.findings)+len(r.summary.Held) == 0 && !j.bringsMarker(f, text) {
		return nil
	}
	segments, err := segmentsOf(f, text)
	if err != nil {
		r.skip = worseSkip(r.skip, f.Path, err)
		return ctx.Err()
	}
	var markers []marker
	for _, seg := range segments {
		found, notes := parseMarkers(f.Path, seg, j.settings.Now)
		markers, r.notes = append(markers, found...), append(r.notes, notes...)
	}
	if len(markers) == 0 {
		return nil
	}
	trusted, err := j.trustedMarkers(ctx, f)
	if err != nil {
		return err
	}
	for _, m := range markers {
		if trusted[m.key] > 0 {
			trusted[m.key]--
			m.Trusted = true
		}
		m.Commit = f.Commit
		r.suppressions = append(r.suppressions, m.Suppression)
	}
	return nil
}

func (j *judge) trustedMarkers(ctx context.Context, f *gavel.File) (map[string]int, error) {
	if j.origin.trusted == nil {
		return nil, nil
	}
	path := cmp.Or(f.OldPath, f.Path)
	text, exists, err := j.origin.trusted(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("reading %s on the trusted base: %w", detect.ShownPath(path), err)
	}
	if !exists {
		return nil, nil
	}
	keys := make(map[string]int)
	markers, _ := parseMarkers(f.Path, segment{1, text}, j.settings.Now)
	for _, m := range markers {
		keys[m.key]++
	}
	return keys, nil
}
