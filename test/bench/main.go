// Command bench measures what a review costs as a whole process, its git children included, side by side with
// `git diff --staged` on the same repository and, with PEER set, with any other command.
//
//	go run ./test/bench [-n 15] [-files 10000] [-only runs]
//	PEER='other-tool --staged' go run ./test/bench
//
// Then come runs: what gavel itself needs for a quick run beside the tools that it starts, a page of a hundred findings
// out of a hundred thousand, and a new index of a thousand packs.
//
// It makes its own repository in a temporary folder. CPU is user plus system time of the process and everything that it
// waited for; peak is the largest single process. Figures are medians; ratios are of medians of one run.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type sample struct {
	cpu, wall time.Duration
	peak      int64 // KiB
}

func main() {
	runs := flag.Int("n", 15, "runs of each command")
	files := flag.Int("files", 10_000, "files of the repository")
	only := flag.String("only", "", "measure reviews or runs alone")
	packs := flag.String(strings.TrimPrefix(packsFlag, "-"), "", "make the packs that runs are measured on in this folder, and nothing else")
	flag.Parse()
	if *packs != "" {
		if err := makePacks(*packs); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := bench(*runs, *files, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs, files int, only string) error {
	dir, err := os.MkdirTemp("", "gavel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gavel := filepath.Join(dir, "gavel")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", gavel, "./cmd/gavel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %s", out)
	}
	info, err := os.Stat(gavel)
	if err != nil {
		return err
	}
	fmt.Printf("binary: %.1f MB stripped\n", float64(info.Size())/1e6)
	env := append(os.Environ(), "GAVEL_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(dir, "gitconfig"))
	rows := []row{{name: "gavel version", commands: []command{{name: "gavel", argv: []string{gavel, "version"}, dir: dir}}}}
	for _, kind := range []struct {
		name string
		make func(gavel, dir string, files int, env []string) ([]row, error)
	}{{"reviews", reviewRows}, {"runs", runRows}} {
		if only != "" && only != kind.name {
			continue
		}
		more, err := kind.make(gavel, dir, files, env)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	for _, r := range rows {
		if err := r.measure(runs, env); err != nil {
			return err
		}
	}
	return nil
}

// reviewRows makes repositories with more and more staged lines.
func reviewRows(gavel, dir string, files int, env []string) ([]row, error) {
	var rows []row
	for _, lines := range []int{100, 5_000, 100_000} {
		repo := filepath.Join(dir, fmt.Sprintf("repo-%d", lines))
		if err := makeRepo(repo, files, lines, env); err != nil {
			return nil, err
		}
		commands := []command{
			{name: "gavel", argv: []string{gavel, "review", "--json"}, dir: repo},
			{name: "git diff", argv: []string{"git", "diff", "--staged"}, dir: repo},
		}
		if peer := os.Getenv("PEER"); peer != "" {
			commands = append(commands, command{name: "peer", argv: strings.Fields(peer), dir: repo})
		}
		rows = append(rows, row{fmt.Sprintf("review of %d staged lines", lines), commands})
	}
	return rows, nil
}

type command struct {
	name string
	argv []string
	dir  string
	// own counts the CPU of the process alone, without what it waited for.
	own bool
	// before, where set, makes each run a new one. It is not measured.
	before func() error
}

type row struct {
	name     string
	commands []command
}

// measure runs the commands in turn, so that a machine whose speed drifts treats them alike.
func (r row) measure(runs int, env []string) error {
	samples := make([][]sample, len(r.commands))
	for i := range runs + 1 {
		for j, c := range r.commands {
			s, err := c.run(env)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if i > 0 {
				samples[j] = append(samples[j], s)
			}
		}
	}
	first := median(samples[0])
	for j, c := range r.commands {
		m := median(samples[j])
		fmt.Printf("%-28s %-9s cpu %8.1f ms  wall %8.1f ms  peak %6.1f MiB", r.name, c.name,
			ms(m.cpu), ms(m.wall), float64(m.peak)/1024)
		if j > 0 {
			fmt.Printf("  gavel/%s: cpu %.2f peak %.2f", c.name, float64(first.cpu)/float64(m.cpu), float64(first.peak)/float64(m.peak))
		}
		fmt.Println()
	}
	return nil
}

func (c command) run(env []string) (sample, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return sample{}, err
		}
	}
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	var own time.Duration
	if c.own {
		var err error
		if own, err = ownCPU(cmd.Process.Pid); err != nil {
			return sample{}, err
		}
	}
	err := cmd.Wait()
	wall := time.Since(started)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 2) {
		return sample{}, fmt.Errorf("%v: %w: %s", c.argv, err, &stderr)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return sample{}, errors.New("no resource usage on this system")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if c.own {
		cpu = own
	}
	return sample{cpu, wall, int64(usage.Maxrss)}, nil
}

func median(samples []sample) sample {
	pick := func(less func(a, b sample) int) sample {
		s := slices.SortedFunc(slices.Values(samples), less)
		return s[len(s)/2]
	}
	return sample{
		cpu:  pick(func(a, b sample) int { return int(a.cpu - b.cpu) }).cpu,
		wall: pick(func(a, b sample) int { return int(a.wall - b.wall) }).wall,
		peak: pick(func(a, b sample) int { return int(a.peak - b.peak) }).peak,
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// makeRepo writes a repository of small Go files, commits it, and stages new lines spread over files of 200 lines.
func makeRepo(dir string, files, lines int, env []string) error {
	for i := range files {
		if err := write(filepath.Join(dir, fmt.Sprintf("pkg%03d/file%05d.go", i%100, i)), i, 20); err != nil {
			return err
		}
	}
	if err := gitIn(dir, env, []string{"init", "-q", "-b", "main"}, []string{"add", "-A"}, []string{"commit", "-qm", "base"}); err != nil {
		return err
	}
	for i := 0; lines > 0; i++ {
		n := min(lines, 200)
		if err := write(filepath.Join(dir, fmt.Sprintf("new%03d/added%05d.go", i%50, i)), i, n); err != nil {
			return err
		}
		lines -= n
	}
	return gitIn(dir, env, []string{"add", "-A"})
}

func write(path string, seed, lines int) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("package p\n")
	for i := 1; i < lines; i++ {
		switch (seed + i) % 5 {
		case 0:
			fmt.Fprintf(&b, "// step%d explains what the next statement is there for, in one sentence\n", i)
		case 1:
			fmt.Fprintf(&b, "func step%dOf%d(input []string, limit int) (result map[string]int, err error) {\n", i, seed)
		case 2:
			fmt.Fprintf(&b, "\tresult[\"name-%d\"] = len(input) + limit*%d // password is not here\n", i, seed)
		case 3:
			fmt.Fprintf(&b, "\tif err := check(input[%d], tokenOf(limit)); err != nil {\n", i%7)
		default:
			b.WriteString("\treturn result, fmt.Errorf(\"step failed: %w\", err)\n")
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
