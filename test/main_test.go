// Package test drives the real program: scripts that run the built binary, and laws about the source as a whole.
//
// GAVEL_TEST_BINARY is the absolute path of a binary to test instead of one built from this tree.
// GAVEL_TEST_REQUIRE=all turns every skipped test into a failure.
package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){
		"feed":       feed,
		"closedpipe": closedPipe,
	})
}

// suite runs the tests and says at the end what was not tested.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	defer func() {
		if built != "" {
			os.RemoveAll(filepath.Dir(built))
		}
	}()
	code := s.m.Run()
	skipped.Lock()
	defer skipped.Unlock()
	slices.Sort(skipped.lines)
	for _, line := range skipped.lines {
		fmt.Fprintln(os.Stderr, "skipped:", line)
	}
	return code
}

var skipped struct {
	sync.Mutex
	lines []string
}

// skip ends a test that something is missing for, which is a failure where everything is required.
func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("GAVEL_TEST_REQUIRE") == "all" {
		t.Fatalf("cannot run, and GAVEL_TEST_REQUIRE=all: %s", reason)
	}
	skipped.Lock()
	skipped.lines = append(skipped.lines, t.Name()+": "+reason)
	skipped.Unlock()
	t.Skip(reason)
}

// built is the program under test, "" as long as no test needed it.
var built string

// binary is the absolute path of the program under test, in a folder that holds nothing else.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gavel-test")
	if err != nil {
		return "", err
	}
	built = filepath.Join(dir, "gavel")
	if runtime.GOOS == "windows" {
		built += ".exe"
	}
	if path := os.Getenv("GAVEL_TEST_BINARY"); path != "" {
		return built, copyProgram(path, built)
	}
	args := []string{"build", "-o", built}
	if os.Getenv("GOCOVERDIR") != "" {
		args = append(args, "-cover", "-coverpkg=./...")
	}
	cmd := exec.Command("go", append(args, "./cmd/gavel")...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building gavel: %w\n%s", err, out)
	}
	return built, nil
})

func copyProgram(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

func gavel(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
