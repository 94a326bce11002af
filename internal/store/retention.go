package store

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// retention bounds the kept documents of one repository. The newest by id stay.
type retention struct {
	count int
	bytes int64
	// slack is how many documents may come between two looks at the bounds, so that most writes cost one list of names
	// and no more. Until the next look, that many documents more may lie there.
	slack int
}

var defaultRetention = retention{count: 200, bytes: 64 << 20, slack: 16}

// abandoned is the age from which a temporary file is what a killed process has left.
const abandoned = time.Hour

// prune removes what is over the bounds, oldest first and never the document just written, whatever its id says about
// its age. What cannot be removed stays: retention is no reason to fail a review, and another process may prune at the
// same time.
func (r retention) prune(dir, written string, size int) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	names, err := d.Readdirnames(-1)
	d.Close()
	if err != nil {
		return
	}
	documents := names[:0]
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, temporaryPrefix):
			removeAbandoned(filepath.Join(dir, name))
		case strings.HasSuffix(name, documentSuffix):
			documents = append(documents, name)
		}
	}
	over := len(documents) - r.count
	large := int64(size) > r.bytes/int64(r.count)
	if over < r.slack && !large && len(documents)%r.slack != 0 {
		return
	}
	slices.SortFunc(documents, compareIDs)
	for _, name := range documents[:max(over, 0)] {
		if name != written {
			os.Remove(filepath.Join(dir, name))
		}
	}
	r.pruneBytes(dir, documents[max(over, 0):], written, int64(size))
}

// pruneBytes walks from the newest document to the oldest and removes those that the budget no longer holds.
func (r retention) pruneBytes(dir string, oldestFirst []string, written string, size int64) {
	left := r.bytes - size
	for _, name := range slices.Backward(oldestFirst) {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || name == written {
			continue
		}
		if left -= info.Size(); left < 0 {
			os.Remove(path)
		}
	}
}

// compareIDs orders ids by age. Ids of the same second order by their suffix as a number: -2 before -10.
func compareIDs(a, b string) int {
	a, b = strings.TrimSuffix(a, documentSuffix), strings.TrimSuffix(b, documentSuffix)
	const second = len("20060102-150405")
	if min(len(a), len(b)) < second || a[:second] != b[:second] {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandoned {
		os.Remove(path)
	}
}

// pruneByTime keeps the files with the suffix that were written or used last.
func (r retention) pruneByTime(dir, suffix string) {
	names, err := readNames(dir)
	if err != nil {
		return
	}
	type aged struct {
		path string
		size int64
		when time.Time
	}
	var files []aged
	for _, name := range names {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, temporaryPrefix) {
			removeAbandoned(path)
			continue
		}
		if info, err := os.Lstat(path); err == nil && strings.HasSuffix(name, suffix) {
			files = append(files, aged{path, info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.when.Compare(a.when) })
	left := r.bytes
	for i, f := range files {
		if left -= f.size; i > 0 && (i >= r.count || left < 0) {
			os.Remove(f.path)
		}
	}
}
