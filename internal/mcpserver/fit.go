package mcpserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gavel-review/gavel"
)

// longest are the bytes that one text of a document keeps when the whole is too large.
const longest = 1000

// Fit returns the document cut to at most budget bytes of JSON, or as it is when it fits. Unsettled findings stay first,
// the gravest of them; settled ones follow as far as there is room. Counts, gate and verdict hint are not touched: they
// speak of the full set, and truncated tells how much of it is shown. A budget below some 8 KiB may be exceeded.
func Fit(doc gavel.Document, budget int) gavel.Document {
	if size(doc) <= budget {
		return doc
	}
	cut := doc
	cut.Truncated = &gavel.Truncation{Returned: doc.FindingsTotal, Total: doc.FindingsTotal}
	cut.Findings, cut.Settled = []gavel.Finding{}, []gavel.Finding{}
	shorten(&cut, budget/8)
	room := budget - size(cut)
	cut.Findings, room = take(doc.Findings, room)
	if len(cut.Findings) == len(doc.Findings) {
		cut.Settled, _ = take(doc.Settled, room)
	}
	cut.Truncated = &gavel.Truncation{Returned: len(cut.Findings) + len(cut.Settled), Total: doc.FindingsTotal}
	return cut
}

// fitExtra bounds the findings that an error carries along.
func fitExtra(extra map[string]any) map[string]any {
	findings, ok := extra["findings"].([]gavel.Finding)
	if !ok || size(findings) <= ResultBudget {
		return extra
	}
	extra = maps.Clone(extra)
	kept, _ := take(findings, ResultBudget-8<<10)
	extra["findings"] = kept
	extra["truncated"] = gavel.Truncation{Returned: len(kept), Total: len(findings)}
	return extra
}

// take keeps the gravest findings that fit into room bytes and returns the rest of the room.
func take(findings []gavel.Finding, room int) ([]gavel.Finding, int) {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b gavel.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), gavel.CompareFindings(a, b))
	})
	for i := range sorted {
		trim(&sorted[i])
		need := size(sorted[i]) + len(",")
		if need > room {
			return sorted[:i], room
		}
		room -= need
	}
	return sorted, room
}

func trim(f *gavel.Finding) {
	for _, text := range []*string{&f.Title, &f.Description, &f.Suggestion, &f.Snippet, &f.Quote} {
		*text = clip(*text, longest)
	}
}

// shorten bounds everything of a document that grows with the change, each list to room bytes.
func shorten(d *gavel.Document, room int) {
	d.Content = clip(d.Content, 2*longest)
	d.Summary.Text = clip(d.Summary.Text, longest)
	d.Summary.Gate.Reason = clip(d.Summary.Gate.Reason, longest)
	d.Meta.DegradeReason = clip(d.Meta.DegradeReason, longest)
	skipped, notes, filters := gravestSkips(d.Meta.Coverage.Skipped), d.Meta.Notes, d.Meta.Repo.Filters
	d.Meta.Coverage.Skipped = prefix(skipped, room)
	d.Meta.Coverage.Unlisted += len(skipped) - len(d.Meta.Coverage.Skipped)
	d.Meta.Repo.Filters = prefix(filters, room)
	d.Meta.Notes = slices.Clone(prefix(notes, room))
	say := func(what string, shown, all int) {
		if shown < all {
			d.Meta.Notes = append(d.Meta.Notes, fmt.Sprintf("cut to fit: %s lists %d of %d", what, shown, all))
		}
	}
	say("meta.coverage.skipped", len(d.Meta.Coverage.Skipped), len(skipped))
	say("meta.repo.filters", len(d.Meta.Repo.Filters), len(filters))
	say("meta.notes", len(prefix(notes, room)), len(notes))
}

// gravestSkips puts first what keeps the verdict from being PASS.
func gravestSkips(skips []gavel.Skip) []gavel.Skip {
	sorted := slices.Clone(skips)
	slices.SortStableFunc(sorted, func(a, b gavel.Skip) int {
		switch {
		case a.Reason.Expected() == b.Reason.Expected():
			return 0
		case b.Reason.Expected():
			return -1
		}
		return 1
	})
	return sorted
}

func prefix[T any](list []T, room int) []T {
	for i := range list {
		if room -= size(list[i]) + len(","); room < 0 {
			return list[:i]
		}
	}
	return list
}

// size is the length of the JSON, or 0 for what JSON cannot hold; encoding the whole will then fail.
func size(v any) int {
	data, err := encodeCompact(v)
	if err != nil {
		return 0
	}
	return len(data)
}
