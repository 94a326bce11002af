package app

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// keepDocument gives the document its run id and keeps it under the state folder. A folder that cannot be written
// costs the kept copy, not the review: the document says so.
func keepDocument(env *Env, d *gavel.Document, now time.Time, fixed bool) {
	stem := now.UTC().Format("20060102-150405") + "-" + digestTail(d.Meta.Repo.DiffDigest)
	id, err := store.Open(env.Getenv).PutReview(d.Meta.Repo.ID, stem, fixed, func(id string) ([]byte, error) {
		d.RunID = id
		var b bytes.Buffer
		err := report.JSON(&b, d)
		return b.Bytes(), err
	})
	d.RunID = id
	if err != nil {
		d.RunID = stem
		d.Meta.Notes = append(d.Meta.Notes, fmt.Sprintf("this document was not kept: %s", gavel.AsError(err).Message))
	}
}

// digestTail is the first 12 hex digits of a digest, or zeros where there is none.
func digestTail(digest string) string {
	_, hex, _ := strings.Cut(digest, ":")
	if len(hex) < 12 {
		return "000000000000"
	}
	return hex[:12]
}
