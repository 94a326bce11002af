package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// The test program is its own writer process: with this variable set it writes until it is killed, or so many times.
const writerVariable = "STORE_TEST_WRITER"

func TestMain(m *testing.M) {
	if what := os.Getenv(writerVariable); what != "" {
		if err := write(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func write(what string) error {
	s := Open(os.Getenv)
	if what == "runs" || what == "one run" || what == "one run a branch" {
		return writeRun(s, what)
	}
	content := strings.Repeat("x", 100_000)
	for n := 0; ; n++ {
		var err error
		switch what {
		case "one review":
			id, err := s.PutReview("repo", stem, false, rendered(fmt.Sprint(os.Getpid())))
			fmt.Print(id)
			return err
		case "one ruling":
			return s.AppendRuling("repo", someRuling(os.Getpid()))
		case "one fixed review":
			_, err := s.PutReview("repo", stem, true, rendered("the same"))
			return err
		case "reviews":
			_, err = s.PutReview("repo", fmt.Sprintf("20260310-%06d-0123456789ab", n%40), false, rendered(content))
		case "fixed reviews":
			_, err = s.PutReview("repo", stem, true, rendered(fmt.Sprint(n, content)))
		case "rulings":
			err = s.AppendRuling("repo", someRuling(n))
		case "baseline":
			err = WriteBaseline(filepath.Join(s.Root(), "repo", ".gavel", "baseline.json"), map[string]int{printA: n + 1, printB: 1})
		}
		if err != nil {
			return err
		}
	}
}

func writer(t *testing.T, s *Store, what string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+what, "GAVEL_HOME="+s.Root())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	return cmd, &out
}

// A writer is killed at random moments: what can be read afterwards is whole, and the next writer goes on.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for _, what := range []string{"reviews", "fixed reviews", "rulings", "baseline"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := home(t)
			d := rand.New(rand.NewPCG(1, uint64(len(what))))
			for range rounds {
				cmd, out := writer(t, s, what)
				time.Sleep(time.Duration(d.IntN(60)) * time.Millisecond)
				must(t, cmd.Process.Kill())
				_ = cmd.Wait()
				if out.Len() > 0 {
					t.Fatalf("the writer failed: %s", out)
				}
				allWhole(t, s)
			}
			must(t, s.AppendRuling("repo", someRuling(1)))
			put(t, s, "repo", stem)
			allWhole(t, s)
		})
	}
}

// allWhole reads everything in the folder. Temporary files alone may be half.
func allWhole(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Rulings("repo"); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(s.Root(), reviewsFolder, "repo", "*.json"))
	must(t, err)
	for _, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), documentSuffix)
		if strings.HasPrefix(id, temporaryPrefix) {
			continue
		}
		doc, err := s.Review("repo", id)
		var read gavel.Document
		if err == nil {
			err = json.Unmarshal(doc, &read)
		}
		if err != nil || read.RunID != id || len(read.Content) < 1 {
			t.Fatalf("%s: run %q, %d bytes, %v", path, read.RunID, len(doc), err)
		}
	}
	data, err := os.ReadFile(filepath.Join(s.Root(), "repo", ".gavel", "baseline.json"))
	if err == nil {
		if _, err = ParseBaseline(data); err != nil {
			t.Fatal(err)
		}
	}
}

// Sixteen processes write in the same second: every document is kept under an id of its own.
func TestManyWritersInOneSecond(t *testing.T) {
	t.Parallel()
	const processes = 16
	s := home(t)
	ids := together(t, s, processes, "one review")
	seen := make(map[string]bool)
	for _, id := range ids {
		if seen[id] || !strings.HasPrefix(id, stem) {
			t.Errorf("the id %q was given twice", id)
		}
		seen[id] = true
	}
	if got := names(t, s, "repo"); len(got) != processes {
		t.Errorf("%d files are kept: %v", len(got), got)
	}
	for id := range seen {
		if doc, err := s.Review("repo", id); err != nil || !strings.Contains(string(doc), `"run_id":"`+id+`"`) {
			t.Errorf("%s: %s, %v", id, doc, err)
		}
	}
}

func TestManyWritersOfOneDocument(t *testing.T) {
	t.Parallel()
	s := home(t)
	together(t, s, 16, "one fixed review")
	if got := names(t, s, "repo"); len(got) != 1 || got[0] != stem+".json" {
		t.Errorf("kept %v", got)
	}
	allWhole(t, s)
}

func TestManyAppenders(t *testing.T) {
	t.Parallel()
	s := home(t)
	together(t, s, 16, "one ruling")
	if got, err := s.Rulings("repo"); err != nil || len(got) != 16 {
		t.Errorf("%d rulings, %v", len(got), err)
	}
}

// together runs so many writers at once and returns what each printed.
func together(t *testing.T, s *Store, processes int, what string) []string {
	t.Helper()
	printed := make([]string, processes)
	var group sync.WaitGroup
	for n := range processes {
		cmd, out := writer(t, s, what)
		group.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer %d: %v: %s", n, err, out)
			}
			printed[n] = out.String()
		})
	}
	group.Wait()
	return printed
}
