package app

import (
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/report"
)

// renderDocument writes a review in the format that the door asked for.
func renderDocument(w io.Writer, o *ReviewOutput, opt RenderOptions) error {
	switch opt.Format {
	case "json":
		return report.JSON(w, o.Document)
	case "sarif":
		return report.SARIF(w, o.Document, o.Verdict, detect.Rules())
	case "markdown":
		return report.Markdown(w, o.Document, o.Verdict, report.MarkdownOptions{Accept: o.accept})
	case "text", "":
		return report.Text(w, o.Document, o.Verdict, report.TextOptions{Color: opt.Color, Width: opt.Width, SummaryOnly: o.Mode == gavel.ModeShadow, Accept: o.accept})
	}
	return gavel.Errorf(gavel.InvalidArgs, "format: %q is none of text, json, sarif, markdown", opt.Format)
}
