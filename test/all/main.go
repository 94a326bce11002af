// Command all runs every test of the project: with the race detector where a C compiler exists, and with a list of
// every test that was skipped and what it was missing.
//
//	go run ./test/all [go test flags]
//
// With GAVEL_TEST_REQUIRE=all in the environment a skipped test is a failure.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
)

// event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// tally is what became of the tests.
type tally struct {
	passed, failed int
	skipped        []string
	output         map[string]*strings.Builder // of tests that may yet fail or be skipped
}

func main() {
	args := []string{"test", "-json", "-timeout", "20m"}
	race := hasCompiler()
	if race {
		args = append(args, "-race")
	}
	args = append(append(args, os.Args[1:]...), "./...")
	fmt.Printf("go %s\n", strings.Join(args, " "))
	if !race {
		fmt.Println("no C compiler: the race detector is off")
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "go test:", err)
		os.Exit(1)
	}
	t := tally{output: make(map[string]*strings.Builder)}
	t.read(out)
	failed := cmd.Wait() != nil || t.failed > 0
	os.Exit(t.conclude(failed, os.Getenv("GAVEL_TEST_REQUIRE") == "all"))
}

func hasCompiler() bool {
	out, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		return false
	}
	_, err = exec.LookPath(strings.Fields(strings.TrimSpace(string(out)) + " ")[0])
	return err == nil
}

func (t *tally) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			t.add(e)
		} else if len(line) > 0 {
			os.Stdout.Write(line)
		}
		if err != nil {
			return
		}
	}
}

func (t *tally) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if t.output[key] == nil {
			t.output[key] = &strings.Builder{}
		}
		t.output[key].WriteString(e.Output)
		return
	case "pass":
		if e.Test == "" {
			fmt.Println("ok  ", e.Package)
		} else {
			t.passed++
		}
	case "fail", "build-fail":
		if e.Test != "" {
			t.failed++
		}
		fmt.Printf("FAIL %s %s\n%s", e.Package, e.Test, t.text(key))
	case "skip":
		if e.Test != "" {
			t.skipped = append(t.skipped, fmt.Sprintf("%s %s: %s", path.Base(e.Package), e.Test, reason(t.text(key))))
		}
	default:
		return
	}
	delete(t.output, key)
}

func (t *tally) text(key string) string {
	if b := t.output[key]; b != nil {
		return b.String()
	}
	return ""
}

// reason is the last line that a skipped test printed before its own closing line.
func reason(output string) string {
	last := "no reason given"
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- SKIP") && !strings.HasPrefix(line, "=== ") {
			last = line
		}
	}
	return last
}

func (t *tally) conclude(failed, required bool) int {
	if len(t.skipped) > 0 {
		fmt.Println("\nskipped:")
		for _, s := range t.skipped {
			fmt.Println("  " + s)
		}
	}
	if required && len(t.skipped) > 0 {
		fmt.Println("GAVEL_TEST_REQUIRE=all: a skipped test is a failure")
		failed = true
	}
	fmt.Printf("\n%d passed, %d failed, %d skipped\n", t.passed, t.failed, len(t.skipped))
	if failed || t.passed == 0 {
		return 1
	}
	return 0
}
