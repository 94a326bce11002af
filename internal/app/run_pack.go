package app

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// RunReport is report.json: the run, its decision, every check and every finding.
type RunReport struct {
	Schema        int              `json:"schema"`
	SchemaVersion string           `json:"schema_version"`
	Gate          *gavel.MergeGate `json:"gate"`
	Checks        []check.Outcome  `json:"checks"`
	LeftOut       []string         `json:"left_out"` // families of checks that the profile does not ask for
	Document      *gavel.Document  `json:"document"`
}

// pack stages every file and makes the run complete.
func (r *runner) pack(v *report.Run, document *gavel.Document, full *RunReport) error {
	v.Files = r.packFiles(v)
	files := []struct {
		name   string
		render func(io.Writer) error
	}{
		{store.PackMergeGate, func(w io.Writer) error { return writeJSON(w, v.Gate) }},
		{store.PackSummary, func(w io.Writer) error { return report.RunSummary(w, v) }},
		{store.PackReport, func(w io.Writer) error { return writeJSON(w, full) }},
		{store.PackPatch, func(w io.Writer) error { _, err := w.Write(r.change.full(r)); return err }},
		{store.PackSARIF, func(w io.Writer) error { return report.SARIF(w, document, v.Gate.Verdict, detect.Rules()) }},
		{store.PackHTML, func(w io.Writer) error { return report.RunHTML(w, v) }},
		{store.PackIndex, func(w io.Writer) error { return report.AIIndex(w, v) }},
	}
	for _, f := range files {
		var b bytes.Buffer
		if err := f.render(&b); err != nil {
			return err
		}
		if err := r.live.Write(f.name, b.Bytes()); err != nil {
			return err
		}
	}
	g := v.Gate
	return r.live.Finish(store.RunRow{
		Verdict: g.Decision, GeneratedAt: g.GeneratedAt, ChecksPassed: g.Stats.ChecksPassed, ChecksFailed: g.Stats.ChecksFailed,
		FilesChanged: g.Stats.FilesChanged,
	})
}

// packFiles are the names of everything that the pack will hold.
func (r *runner) packFiles(v *report.Run) []string {
	files := []string{
		store.PackMergeGate, store.PackSummary, store.PackReport, store.PackHTML, store.PackPatch, store.PackSARIF, store.PackIndex, store.PackManifest,
		store.RunLog, store.RunErrors,
	}
	for _, c := range v.Checks {
		if c.Log == "" {
			continue // the detectors say nothing beside their findings
		}
		files = append(files, c.Log, strings.TrimSuffix(c.Log, ".log")+".json")
	}
	return files
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
