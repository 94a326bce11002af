package app

import (
	"bytes"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// keptFile is the one file that a kept review has.
const keptFile = "review.json"

// keptReview is the document of a kept review, where that is what the id names. notRun is what came of looking for a
// run, and comes back where it is neither.
func keptReview(env *Env, repo *git.Repo, id string, notRun error) ([]byte, error) {
	if id == "" || gavel.AsError(notRun).Class != gavel.RunNotFound {
		return nil, notRun
	}
	data, err := store.Open(env.Getenv).Review(repo.ID, id)
	if err != nil && gavel.AsError(err).Class == gavel.RunNotFound {
		return nil, notRun
	}
	return data, err
}

// keptSARIF is a kept review in the form in which runs keep what they found.
func keptSARIF(data []byte) ([]byte, error) {
	doc, err := report.ReadDocument(bytes.NewReader(data), 0)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.SARIF(&b, doc, gavel.Verdict{}, detect.Rules())
	return b.Bytes(), err
}

// findingsPages is how a page of findings comes about: from a run's pack, or from a kept review.
func findingsPages(env *Env, repo *git.Repo, id string) (run string, read func(store.FindingQuery) (store.FindingPage, error), err error) {
	s := store.Open(env.Getenv)
	row, err := findRun(env, repo, id)
	if err == nil {
		return row.ID, func(q store.FindingQuery) (store.FindingPage, error) { return s.Findings(runRepo(repo), row.ID, q) }, nil
	}
	data, err := keptReview(env, repo, id, err)
	if err != nil {
		return "", nil, err
	}
	sarif, err := keptSARIF(data)
	return id, func(q store.FindingQuery) (store.FindingPage, error) { return store.FindingsOf(id, keptFile, sarif, q) }, err
}

// artifactPage reads a page of a file of a run, or of a kept review.
func artifactPage(env *Env, repo *git.Repo, in ArtifactInput) (id string, page store.ArtifactPage, err error) {
	row, err := findRun(env, repo, in.RunID)
	if err == nil {
		page, err = store.Open(env.Getenv).Artifact(runRepo(repo), row.ID, in.Artifact, in.Cursor, pageSize(in.Limit))
		return row.ID, page, err
	}
	data, err := keptReview(env, repo, in.RunID, err)
	switch {
	case err != nil:
		return "", page, err
	case in.Artifact != keptFile:
		return "", page, store.NoArtifact(in.RunID, in.Artifact)
	}
	page, err = store.ArtifactOf(in.RunID, keptFile, data, in.Cursor, pageSize(in.Limit))
	return in.RunID, page, err
}
