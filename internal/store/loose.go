package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/gavel-review/gavel"
)

// What is no file of a run can be paged like one: a kept review has the same readers.

// FindingsOf returns a page of the findings of a SARIF, which is called name and belongs to whatever has the id. The
// errors are those of [Store.Findings].
func FindingsOf(id, name string, sarif []byte, q FindingQuery) (FindingPage, error) {
	want, err := q.filter()
	if err != nil {
		return FindingPage{}, err
	}
	asked := q.asked(id)
	position, err := readCursor(q.Cursor, asked...)
	if err != nil {
		return FindingPage{}, err
	}
	sum := sha256.Sum256(sarif)
	index, err := buildInMemory(bytes.NewReader(sarif), fileStamp{}, hex.EncodeToString(sum[:]))
	if err != nil {
		return FindingPage{}, corrupt(name, "%w", err)
	}
	page := FindingPage{}
	next := 0
	page.Items, page.Total, next, err = index.page(want, int(min(position, maxFindings)), clampLimit(q.Limit, findingsLimit, maxFindingsLimit))
	if err != nil {
		return FindingPage{}, corrupt(name, "%w", err)
	}
	for i := range page.Items {
		page.Items[i].ArtifactRef = name
	}
	if next > 0 {
		page.NextCursor = makeCursor(uint64(next), asked...)
	}
	return page, nil
}

// ArtifactOf returns a page of a text, as [Store.Artifact] does of a file of a run.
func ArtifactOf(id, name string, text []byte, cursor string, limit int) (ArtifactPage, error) {
	offset, err := readCursor(cursor, "artifact", id, name)
	if err != nil {
		return ArtifactPage{}, err
	}
	r := newArtifactReader(int64(offset), clampLimit(limit, artifactLines, maxArtifactLines))
	if _, err := io.Copy(r, bytes.NewReader(text)); err != nil {
		return ArtifactPage{}, err
	}
	page, next, ok := r.page(false)
	if !ok {
		return ArtifactPage{}, NoArtifact(id, name)
	}
	if next > 0 {
		page.NextCursor = makeCursor(uint64(next), "artifact", id, name)
	}
	return page, nil
}

// NoArtifact is the one answer to whoever asks for a file that a run does not have.
func NoArtifact(id, name string) *gavel.Error { return noArtifact(id, name) }
