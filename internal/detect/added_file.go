package detect

import (
	"fmt"
	"path"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var addedFile = Detector{Name: "added_file", Rules: []*gavel.Rule{ruleLargeFile, ruleBinaryFile, ruleBinarySource}, Run: runAddedFile, Everywhere: true}

// largeFile is the size from which an added file is large, in bytes.
const largeFile = 1 << 20

// smallMedia is the size up to which pictures and fonts are what repositories hold every day, in bytes.
const smallMedia = 256 << 10

var ruleLargeFile = &gavel.Rule{
	ID:    "hygiene/large-file-added",
	Title: "File of more than 1 MiB is added",
	Text: "git keeps every version of every file for ever: a large file makes each clone slower from now on, and nobody reads it in a review. " +
		"Lock files are no finding; in vendored folders and fixtures the finding is low.",
	Fix:      "Keep the file outside of the repository, or in Git LFS.",
	Before:   "data/dump.sql (48 MiB)",
	After:    "data/README.md (where the dump is kept)",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

var ruleBinaryFile = &gavel.Rule{
	ID:    "hygiene/binary-added",
	Title: "Binary file is added",
	Text: "What is inside a binary file cannot be reviewed, and a build result in a repository goes stale. Programs, libraries, archives and files of " +
		"unknown kind are medium; pictures, fonts, sound and documents are low, and info up to 256 KiB; in tests and fixtures low.",
	Fix:      "Build or fetch the file where it is needed, and pin it by its digest.",
	Before:   "tools/protoc (binary, 5 MiB)",
	After:    "tools/install.sh (downloads protoc and checks its digest)",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

var ruleBinarySource = &gavel.Rule{
	ID:    "hygiene/binary-source",
	Title: "Source file holds NUL bytes",
	Text: "git, editors and reviewers take a text with a NUL byte for binary and show nothing of it, while many interpreters run it all the same. " +
		"So a NUL byte is a way to keep code out of a review. UTF-16 source counts too: write it as UTF-8.",
	Fix:      "Take the NUL bytes out, or give the file a name that says what it is.",
	Before:   "deploy.sh (text with one NUL byte behind a #)",
	After:    "deploy.sh (text)",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-451",
}

// readAsText reports whether people and tools take a file of that name for text.
func readAsText(p *Pass) bool {
	return p.Lang.Program || code.GateOf(p.File.Path) != code.NoGate
}

func runAddedFile(p *Pass) {
	f := p.File
	if changed := f.Status == gavel.Added || f.NewID != f.OldID; f.Binary && changed && f.Status != gavel.Deleted && readAsText(p) && !code.IsFixture(f.Path) {
		p.Report(ruleBinarySource, Span{}, "No line of this file can be reviewed.")
		return
	}
	if p.Whole || f.Status != gavel.Added && f.Status != gavel.Copied || f.NewMode == gavel.ModeGitlink || f.NewMode == gavel.ModeSymlink {
		return
	}
	quiet := code.IsFixture(f.Path) || code.Vendored(f.Path) || p.Test || inTests(f.Path)
	switch {
	case f.Size > largeFile && !code.LockFile(f.Path):
		found := p.Report(ruleLargeFile, Span{}, fmt.Sprintf("The file has %.1f MiB.", float64(f.Size)/(1<<20)))
		if quiet {
			found.Severity = gavel.Low
		}
	case f.Binary:
		found := p.Report(ruleBinaryFile, Span{}, "What this file holds cannot be reviewed.")
		switch {
		case media(f.Path) && f.Size >= 0 && f.Size <= smallMedia:
			found.Severity = gavel.Info
		case quiet || media(f.Path):
			found.Severity = gavel.Low
		}
	}
}

func inTests(file string) bool {
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		switch dir {
		case "test", "tests", "__tests__", "spec", "e2e", "testing":
			return true
		}
	}
	return false
}

func media(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".icns", ".bmp", ".tif", ".tiff", ".svgz",
		".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".ogg", ".wav", ".flac", ".mp4", ".webm", ".mov", ".pdf", ".psd", ".xcf",
		".sketch", ".fig", ".docx", ".xlsx", ".pptx", ".odt":
		return true
	}
	return false
}
