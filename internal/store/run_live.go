package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

const (
	scratchFolder = "tmp"

	maxLogBytes = 16 << 20 // of each log; what comes after is dropped
	maxCause    = 4 << 10
)

// LiveRun is a run that this process carries out. It may be used from several goroutines. Until it is finished its
// pack's files lie in a hidden folder; the logs and what WriteLive wrote can be read at once.
type LiveRun struct {
	store  *Store
	place  place
	record gavel.RunRecord
	branch *lease // of the branch: nobody else may run
	life   *lease // of the run: it lives

	mu      sync.Mutex
	log     *logFile
	errlog  *logFile
	files   map[string]packFile // what the manifest will name
	staged  map[string]bool     // files that Finish has to move into place
	open    int                 // files that are being written
	scratch string
	ended   bool
}

// Record is what the run is known by, with its id and start.
func (l *LiveRun) Record() gavel.RunRecord { return l.record }

// Dir is the run's folder, absolute. The pack will be there.
func (l *LiveRun) Dir() string { return l.place.dir }

// prepare fills the run's folder while it has no name yet.
func (l *LiveRun) prepare(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, stagingName), 0o700); err != nil {
		return err
	}
	life, ok, err := l.store.lives.take(filepath.Join(dir, leaseName))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("the lease of a new run is taken")
	}
	l.life = life
	if l.log, err = newLog(filepath.Join(dir, RunLog)); err != nil {
		return err
	}
	if l.errlog, err = newLog(filepath.Join(dir, RunErrors)); err != nil {
		return err
	}
	return writeState(filepath.Join(dir, runningName), running{
		Schema: runVersion, PID: os.Getpid(), ProcessStart: processStart(), BootID: bootID(), RunRecord: l.record,
	})
}

// drop gives back what a run that never began holds.
func (l *LiveRun) drop() {
	l.closeLogs()
	if l.life != nil {
		l.life.release()
	}
}

// Scratch is a private folder for what tools write before anybody has masked it. It goes when the run ends.
func (l *LiveRun) Scratch() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return "", l.over()
	}
	if l.scratch != "" {
		return l.scratch, nil
	}
	dir, err := l.store.make(scratchFolder, l.place.repo, l.place.id)
	if err == nil {
		l.scratch = dir
	}
	return dir, err
}

// Log adds a line to the run's log, which can be read while the run goes on. The caller has masked what must not be
// kept.
func (l *LiveRun) Log(line string) { _, _ = l.log.Write([]byte(strings.TrimSuffix(line, "\n") + "\n")) }

// Errors is the log of what should not have happened, likewise.
func (l *LiveRun) Errors() io.Writer { return l.errlog }

// Write stages a file of the pack. name is relative to the pack, with slashes, and new.
func (l *LiveRun) Write(name string, data []byte) error { return l.write(name, data, false) }

// Create is Write for what comes in pieces. The file counts once its writer is closed without error.
func (l *LiveRun) Create(name string) (io.WriteCloser, error) { return l.create(name, false) }

// WriteLive writes a file below [PackQuality] that can be read at once, and in a failed run too.
func (l *LiveRun) WriteLive(name string, data []byte) error { return l.write(name, data, true) }

// CreateLive is WriteLive for what comes in pieces; nobody sees the file before its writer is closed.
func (l *LiveRun) CreateLive(name string) (io.WriteCloser, error) { return l.create(name, true) }

func (l *LiveRun) write(name string, data []byte, live bool) error {
	w, err := l.create(name, live)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (l *LiveRun) create(name string, live bool) (io.WriteCloser, error) {
	if !packName(name) || name == RunLog || name == RunErrors || live && !strings.HasPrefix(name, PackQuality+"/") {
		return nil, gavel.Errorf(gavel.Internal, "%q cannot be written into a run", name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return nil, l.over()
	}
	if _, twice := l.files[name]; twice {
		return nil, gavel.Errorf(gavel.Internal, "run %s has %s already", l.place.id, name)
	}
	root, err := os.OpenRoot(l.place.dir)
	if err != nil {
		return nil, ioError("open", l.place.dir, err)
	}
	w, err := newPackWriter(root, name)
	if err != nil {
		root.Close()
		return nil, ioError("create", filepath.Join(l.place.dir, name), err)
	}
	w.run, w.live = l, live
	l.open++
	return w, nil
}

// written takes a closed file into the pack.
func (l *LiveRun) written(w *packWriter, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	switch _, twice := l.files[w.name]; {
	case err != nil:
	case l.ended:
		err = l.over()
	case twice:
		err = gavel.Errorf(gavel.Internal, "run %s has %s already", l.place.id, w.name)
	case w.live:
		err = moveIntoPlace(w.root, w.name)
	default:
		l.staged[w.name] = true
	}
	if err != nil {
		return ioError("write", filepath.Join(l.place.dir, w.name), err)
	}
	l.files[w.name] = w.sum()
	return nil
}

func (l *LiveRun) over() error {
	return gavel.Errorf(gavel.Internal, "run %s has ended", l.place.id)
}

// Finish makes the pack whole: every file that a run of its kind cannot do without is there and is what was written, it
// is moved into place, and the manifest comes last. Where that fails the run goes on, so that Fail can say why. What
// comes after the manifest (the index, retention) is no reason to fail.
//
// Of row the verdict, the time and the counts are used.
func (l *LiveRun) Finish(row RunRow) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return l.over()
	}
	if err := l.complete(row); err != nil {
		return ioError("finish", l.place.dir, err)
	}
	l.end()
	l.store.indexFindings(l.place)
	return nil
}

func (l *LiveRun) complete(row RunRow) error {
	if l.open > 0 {
		return gavel.Errorf(gavel.Internal, "run %s: %d files are still being written", l.place.id, l.open)
	}
	l.closeLogs()
	root, err := os.OpenRoot(l.place.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range []string{RunLog, RunErrors} {
		if l.files[name], err = sumFile(root, name); err != nil {
			return err
		}
	}
	if err := l.required(); err != nil {
		return err
	}
	for name := range l.staged {
		if err := moveIntoPlace(root, name); err != nil {
			return err
		}
		delete(l.staged, name)
	}
	if err := verify(root, l.files); err != nil {
		return err
	}
	syncFolders(l.place.dir, l.files)
	m := manifest{Schema: runVersion, Run: l.record, Files: l.files, Summary: packSummary{
		Verdict: row.Verdict, GeneratedAt: row.GeneratedAt.UTC(),
		ChecksPassed: row.ChecksPassed, ChecksFailed: row.ChecksFailed, FilesChanged: row.FilesChanged,
	}}
	if err := writeState(filepath.Join(l.place.dir, manifestName), m); err != nil {
		return err
	}
	syncFolder(l.place.dir)
	return nil
}

func (l *LiveRun) required() error {
	if l.record.Kind != gavel.RunOfChange {
		return nil
	}
	for _, name := range requiredFiles {
		if _, there := l.files[name]; !there {
			return gavel.Errorf(gavel.Internal, "the pack of run %s lacks %s", l.place.id, name)
		}
	}
	return nil
}

// Fail ends a run without a pack. The cause is for people and has been masked; logs and what WriteLive wrote stay. On a
// run that has ended it does nothing, so that it can be deferred.
func (l *LiveRun) Fail(cause string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return nil
	}
	l.closeLogs()
	err := writeState(filepath.Join(l.place.dir, failedName), failed{
		Schema: runVersion, Cause: cutText(cause, maxCause), EndedAt: time.Now().UTC(), Run: l.record,
	})
	syncFolder(l.place.dir)
	l.end()
	if err != nil {
		return ioError("write", l.place.dir, err)
	}
	return nil
}

// end gives everything back. The document that says how the run ended is on disk by now.
func (l *LiveRun) end() {
	l.ended = true
	for _, name := range []string{runningName, stagingName} {
		_ = l.store.remove(filepath.Join(l.place.dir, name))
	}
	if l.scratch != "" {
		_ = l.store.remove(l.scratch)
		os.Remove(filepath.Dir(l.scratch)) // unless another run is in it
	}
	l.life.release()
	l.branch.release()
	l.store.pruneRuns(l.place)
}

func (l *LiveRun) closeLogs() {
	for _, log := range []*logFile{l.log, l.errlog} {
		if log != nil {
			log.Close()
		}
	}
}

// cutText bounds a text for people at a character boundary, in valid UTF-8.
func cutText(s string, size int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size] + "…"
}

// logFile appends to a log, whole writes at a time and valid UTF-8 only, up to a bound.
type logFile struct {
	mu   sync.Mutex
	f    *os.File
	left int
}

func newLog(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|noFollow, 0o600)
	return &logFile{f: f, left: maxLogBytes}, err
}

// Write never fails a run: what cannot be logged is not.
func (g *logFile) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.f == nil || g.left <= 0 {
		return len(p), nil
	}
	text := strings.ToValidUTF8(string(p), "\uFFFD")
	if len(text) > g.left {
		text = "[the log is full]\n"
		g.left = 0
	}
	g.left -= len(text)
	_, _ = g.f.WriteString(text)
	return len(p), nil
}

func (g *logFile) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.f != nil {
		_ = g.f.Sync()
		g.f.Close()
		g.f = nil
	}
}
