package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

// ScanInput is what a scan can be asked for.
type ScanInput struct {
	Path        []string `json:"path,omitempty" doc:"files and folders; default: this folder"`
	FailOn      string   `json:"fail_on,omitempty" doc:"gate: lowest severity that fails" enum:"critical,high,medium,low,info,any,none"`
	MinSeverity string   `json:"min_severity,omitempty" doc:"hide findings below it" enum:"critical,high,medium,low,info"`
	NoFlaky     bool     `json:"no_flaky,omitempty" doc:"skip the flaky-test detector"`
	Only        []string `json:"only,omitempty" doc:"only these categories, with commas"`
	Rules       string   `json:"rules,omitempty" doc:"more secret rules, from a TOML file"`
	File        []string `json:"file,omitempty" doc:"only these files (path or glob)"`
	Dir         []string `json:"dir,omitempty" doc:"only these folders (path or glob)"`
	ExcludeFile []string `json:"exclude_file,omitempty" doc:"leave these files out"`
	ExcludeDir  []string `json:"exclude_dir,omitempty" doc:"leave these folders out"`
	History     bool     `json:"history,omitempty" doc:"every commit's added lines, from HEAD"`
	Diff        []string `json:"diff,omitempty" doc:"with history: of A, or of A..B"`
	MaxCommits  int      `json:"max_commits,omitempty" doc:"with history: newest only; 0 = all"`
	Strict      bool     `json:"strict,omitempty" doc:"exit 2 on CONDITIONAL"`
	Workers     int      `json:"workers,omitempty" doc:"files at once; 0 = one a core"`
}

// Scan runs the detectors over whole files.
var Scan = Op[ScanInput, *ReviewOutput]{
	Name: "scan",
	Doc:  "Run the detectors over whole files and folders, in a repository or not; every line counts as changed.",
	Long: `In a git repository the files are those that git tracks or would track; elsewhere every file below the folder.
A file that is named is always scanned. Same document, flags and exit codes as review. With --repo or GAVEL_REPO it
scans there: paths are relative to that folder.
With --history it looks at the lines that each commit of HEAD's history added (or of the revisions in --diff), so that
what was removed later is found too. A finding is listed once, with the first commit that brought it. Rules that weigh
a change as a whole take no part.`,
	Example: "  gavel scan\n  gavel scan internal/ config.yaml --min-severity medium\n  gavel scan --history --only secret",

	Doors:      CLI,
	ReadOnly:   true,
	Positional: "path",
	Formats:    []string{"sarif", "markdown"},
	Run: func(ctx context.Context, env *Env, in ScanInput) (*ReviewOutput, error) {
		if err := in.checkHistory(); err != nil {
			return nil, err
		}
		open := optionalRepo
		if in.History {
			open = func(ctx context.Context, env *Env) (*git.Repo, error) { return openRepo(ctx, env, "") }
		}
		repo, err := open(ctx, env)
		if err != nil {
			return nil, err
		}
		if repo != nil {
			defer repo.Close()
		}
		if in.History {
			return scanHistory(ctx, env, in, repo)
		}
		return scanTree(ctx, env, scanFolder(env), in, repo)
	},
	Render: Review.Render,
}

// scanFolder is the folder that a scan happens in: the named repository, else the working directory.
func scanFolder(env *Env) string { return cmp.Or(env.DefaultRepo, env.Getenv("GAVEL_REPO"), env.Dir) }

// scanTree judges files as they lie in the work tree, with paths relative to the folder; repo may be nil.
func scanTree(ctx context.Context, env *Env, folder string, in ScanInput, repo *git.Repo) (*ReviewOutput, error) {
	r, err := newScanner(ctx, env, in, repo)
	if err != nil {
		return nil, err
	}
	c, err := r.basis(ctx, "")
	if err != nil {
		return nil, err
	}
	w := &walker{root: folder, repo: repo, filter: r.filter}
	if w.paths, err = w.resolve(in.Path); err != nil {
		return nil, err
	}
	o := origin{files: w.files(ctx), fill: w.fill, trusted: r.trustedFiles(), whole: true}
	notes := c.judged.Notes
	if c.judged, err = newJudge(o, r.judgeSettings()).run(ctx); err != nil {
		return nil, err
	}
	c.judged.Notes = append(c.judged.Notes, notes...)
	c.subject.DiffDigest = c.judged.Digest
	out, err := r.conclude(c)
	if err != nil {
		return nil, err
	}
	if out.Meta.Coverage.Files == 0 {
		return nil, gavel.Errorf(gavel.NoChanges, "no file to scan below %s", strings.Join(w.names(), ", ")).WithHint("name files or folders that exist, and check the filters")
	}
	keepDocument(env, out.Document, r.now, r.fixed)
	return out, nil
}

func newScanner(ctx context.Context, env *Env, in ScanInput, repo *git.Repo) (*reviewer, error) {
	review := ReviewInput{FailOn: in.FailOn, MinSeverity: in.MinSeverity, NoFlaky: in.NoFlaky, Only: in.Only, Rules: in.Rules, File: in.File, Dir: in.Dir,
		ExcludeFile: in.ExcludeFile, ExcludeDir: in.ExcludeDir, Strict: in.Strict, Workers: in.Workers}
	r, err := prepare(ctx, env, review)
	if err != nil {
		return nil, err
	}
	r.repo = repo
	return r, nil
}

// walker lists and reads the files of a scan.
type walker struct {
	root   string // what paths are relative to, absolute
	repo   *git.Repo
	filter git.Filter
	paths  []string // absolute
}

func (w *walker) resolve(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{w.root}, nil
	}
	paths := make([]string, 0, len(args))
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.root, path)
		}
		if _, err := os.Lstat(path); err != nil {
			return nil, gavel.Errorf(gavel.InvalidArgs, "path %s: %w", gavel.DisplayPath(arg), errors.Unwrap(err)).WithHint("paths are relative to %s", gavel.DisplayPath(w.root))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (w *walker) names() []string {
	names := make([]string, len(w.paths))
	for i, p := range w.paths {
		names[i] = w.relative(p)
	}
	return names
}

// relative is the path as the document shows it: slash-separated, relative to the current folder where it lies below.
func (w *walker) relative(path string) string {
	rel, err := filepath.Rel(w.root, path)
	if err != nil {
		rel = path
	}
	return filepath.ToSlash(rel)
}

func (w *walker) files(ctx context.Context) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		seen := make(map[string]bool)
		for _, path := range w.paths {
			for name, err := range w.list(ctx, path) {
				if err == nil && (seen[name] || !w.filter.Match(w.relative(name), "")) {
					continue
				}
				seen[name] = true
				if !yield(w.file(name), err) || err != nil {
					return
				}
			}
		}
	}
}

func (w *walker) file(path string) *gavel.File {
	f := &gavel.File{Path: w.relative(path), Status: gavel.Added, NewMode: gavel.ModeRegular, Size: -1}
	if w.repo != nil {
		if rel, err := filepath.Rel(w.repo.Root, path); err == nil && filepath.ToSlash(rel) != f.Path {
			f.OldPath = filepath.ToSlash(rel) // under which the baseline knows it
		}
	}
	return f
}

// list yields the files at or below path in a stable order: those that git knows of, else all but git's own.
func (w *walker) list(ctx context.Context, path string) iter.Seq2[string, error] {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		return func(yield func(string, error) bool) { yield(path, nil) }
	}
	if w.repo != nil {
		return func(yield func(string, error) bool) {
			for name, err := range w.repo.WorktreeFiles(ctx, path) {
				if !yield(filepath.Join(w.repo.Root, filepath.FromSlash(name)), err) {
					return
				}
			}
		}
	}
	return walkFolder(ctx, path)
}

func walkFolder(ctx context.Context, root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && d != nil && d.IsDir() && path != root:
				if !yield(path, nil) { // reading it fails again and is then accounted for
					return fs.SkipAll
				}
				return fs.SkipDir
			case err != nil:
				return err
			case d.IsDir():
				if d.Name() == ".git" {
					return fs.SkipDir
				}
				return nil
			}
			if !yield(path, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}

// fill reads the file into one hunk of added lines, or says why not.
func (w *walker) fill(_ context.Context, f *gavel.File) (text string) {
	path := filepath.Join(w.root, filepath.FromSlash(f.Path))
	if filepath.IsAbs(f.Path) {
		path = f.Path
	}
	skip := func(reason gavel.SkipReason, detail string) string {
		f.Skip = &gavel.Skip{Reason: reason, Detail: detail}
		return ""
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return skip(gavel.SkipUnreadable, errors.Unwrap(err).Error())
	case info.Mode()&fs.ModeSymlink != 0:
		f.NewMode = gavel.ModeSymlink
		target, err := os.Readlink(path)
		if err != nil {
			return skip(gavel.SkipUnreadable, errors.Unwrap(err).Error())
		}
		return fillText(f, target)
	case info.IsDir():
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
			return skip(gavel.SkipSubmodule, "a repository of its own")
		}
		_, err := os.ReadDir(path)
		if err == nil {
			err = errors.New("is a folder")
		}
		return skip(gavel.SkipUnreadable, err.Error())
	case !info.Mode().IsRegular():
		return skip(gavel.SkipUnreadable, "not a regular file")
	case info.Size() > maxText:
		f.Size = info.Size()
		return skip(gavel.SkipTooLarge, "larger than 32 MiB")
	}
	if text, err = readText(path, info.Size()); err != nil {
		return skip(gavel.SkipUnreadable, err.Error())
	}
	f.Size = int64(len(text))
	switch {
	case strings.IndexByte(text, 0) >= 0:
		f.Binary = true
		skip(gavel.SkipBinary, "")
		return text // still searched for secrets
	case f.Size > maxText:
		return skip(gavel.SkipTooLarge, "grew beyond 32 MiB")
	case strings.Count(text, "\n") > maxLines:
		return skip(gavel.SkipTooLarge, "more than a million lines")
	}
	return fillText(f, text)
}

// readText reads the file, or a little more than maxText of it.
func readText(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", errors.Unwrap(err)
	}
	defer f.Close()
	room := readRooms.Get().(*[]byte)
	defer readRooms.Put(room)
	data := slices.Grow((*room)[:0], int(size)+1)
	for len(data) <= maxText {
		data = slices.Grow(data, 1)
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", errors.Unwrap(err)
		}
	}
	if cap(data) <= maxRoom {
		*room = data
	}
	return string(data), nil
}

// maxRoom is the largest buffer that is kept from one file to the next, in bytes.
const maxRoom = 1 << 20

var readRooms = sync.Pool{New: func() any { return new([]byte) }}

func fillText(f *gavel.File, text string) string {
	f.Size = int64(len(text))
	if text == "" {
		return text
	}
	n := strings.Count(text, "\n")
	lines := make([]gavel.Line, 0, n+1)
	for rest, number := text, 1; rest != ""; number++ {
		line, tail, ended := strings.Cut(rest, "\n")
		lines = append(lines, gavel.Line{Op: gavel.Add, New: number, Text: line, NoEOL: !ended})
		rest = tail
	}
	f.Hunks = []gavel.Hunk{{NewStart: 1, NewLines: len(lines), Lines: lines}}
	return text
}
