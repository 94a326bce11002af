// Command history reviews the last commits of every repository below a folder, one by one, and holds each document
// against git itself: no crash, every path accounted for, and the same bytes for one worker and for eight.
//
//	go run ./test/history [-n 200] [-gavel BINARY] FOLDER
//
// FOLDER holds repositories, bare or not, at any depth up to three. A repository that has no work tree is read through a
// clone in a temporary folder that shares its objects.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type driver struct {
	gavel   string
	commits int
	scratch string
	faults  int
}

type outcome struct {
	Findings []struct {
		Severity string `json:"severity"`
		File     string `json:"file"`
		Rule     string `json:"rule"`
	} `json:"findings"`
	Meta struct {
		Coverage struct {
			Files    int `json:"files"`
			Reviewed int `json:"reviewed"`
			Skipped  []struct {
				Path   string `json:"path"`
				Reason string `json:"reason"`
			} `json:"skipped"`
		} `json:"coverage"`
	} `json:"meta"`
}

func main() {
	d := driver{}
	flag.IntVar(&d.commits, "n", 200, "commits of each repository")
	flag.StringVar(&d.gavel, "gavel", "", "binary to drive; built when not given")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: history [-n 200] [-gavel BINARY] FOLDER")
		os.Exit(64)
	}
	if err := d.run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
	if d.faults > 0 {
		fmt.Printf("%d faults\n", d.faults)
		os.Exit(1)
	}
}

func (d *driver) run(folder string) error {
	var err error
	if d.scratch, err = os.MkdirTemp("", "gavel-history-"); err != nil {
		return err
	}
	defer os.RemoveAll(d.scratch)
	if d.gavel == "" {
		d.gavel = filepath.Join(d.scratch, "gavel")
		if out, err := exec.Command("go", "build", "-o", d.gavel, "./cmd/gavel").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %s", out)
		}
	}
	repos, err := repositories(folder)
	if err != nil {
		return err
	}
	if len(repos) == 0 {
		return errors.New("no repository below " + folder)
	}
	for _, repo := range repos {
		if err := d.repository(repo); err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
	}
	return nil
}

// repositories finds work trees and git directories, at most three folders deep.
func repositories(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "HEAD")); err == nil {
			found = append(found, path)
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, ".git")); err == nil {
			found = append(found, path)
			return fs.SkipDir
		}
		if rel, _ := filepath.Rel(folder, path); strings.Count(rel, string(filepath.Separator)) >= 3 {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

func (d *driver) repository(repo string) error {
	work := repo
	if _, err := os.Stat(filepath.Join(repo, ".git")); err != nil {
		work = filepath.Join(d.scratch, "clone", filepath.Base(filepath.Dir(repo))+"-"+filepath.Base(repo))
		if out, err := exec.Command("git", "clone", "-q", "--shared", "--no-checkout", repo, work).CombinedOutput(); err != nil {
			return fmt.Errorf("clone: %s", out)
		}
	}
	list, err := exec.Command("git", "-C", work, "rev-list", "-n", fmt.Sprint(d.commits), "--parents", "HEAD").Output()
	if err != nil {
		return err
	}
	started := time.Now()
	reviewed, paths, findings, skipped := 0, 0, map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(list)) {
		ids := strings.Fields(line)
		base := "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // the empty tree
		if len(ids) > 1 {
			base = ids[1]
		}
		o := d.commit(work, base, ids[0])
		if o == nil {
			continue
		}
		reviewed++
		paths += o.Meta.Coverage.Files
		for _, f := range o.Findings {
			findings[f.Severity]++
		}
		for _, s := range o.Meta.Coverage.Skipped {
			skipped[s.Reason]++
		}
	}
	fmt.Printf("%s: %d commits, %d paths, findings %v, skipped %v, %.1fs\n", repo, reviewed, paths, findings, skipped, time.Since(started).Seconds())
	return nil
}

func (d *driver) fault(work, commit, format string, args ...any) *outcome {
	d.faults++
	fmt.Printf("FAULT %s %s: %s\n", filepath.Base(work), commit, fmt.Sprintf(format, args...))
	return nil
}

// commit reviews one commit with one worker and with eight.
func (d *driver) commit(work, base, commit string) *outcome {
	one, code, err := d.review(work, base, commit, "1")
	if err != nil {
		return d.fault(work, commit, "%v", err)
	}
	eight, code8, err := d.review(work, base, commit, "8")
	if err != nil {
		return d.fault(work, commit, "%v", err)
	}
	if !bytes.Equal(one, eight) || code != code8 {
		return d.fault(work, commit, "differs between one worker and eight")
	}
	var o outcome
	if err := json.Unmarshal(one, &o); err != nil {
		return d.fault(work, commit, "no document: %v", err)
	}
	names, err := exec.Command("git", "-C", work, "diff-tree", "-r", "-M", "--name-only", "-z", base, commit).Output()
	if err != nil {
		return d.fault(work, commit, "git: %v", err)
	}
	c := o.Meta.Coverage
	if want := bytes.Count(names, []byte{0}); c.Files != want || c.Reviewed+len(c.Skipped) != c.Files {
		return d.fault(work, commit, "%d paths in git, %d in the document, %d reviewed, %d skipped", want, c.Files, c.Reviewed, len(c.Skipped))
	}
	return &o
}

func (d *driver) review(work, base, commit, workers string) (document []byte, code int, err error) {
	cmd := exec.Command(d.gavel, "review", "--repo", work, "--json", "--workers", workers, base, commit)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1796083200", "GAVEL_HOME="+filepath.Join(d.scratch, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(d.scratch, "config"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	document, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	switch {
	case err != nil:
		return nil, 0, err
	case code != 0 && code != 1 && code != 3, strings.Contains(stderr.String(), "panic"):
		return nil, code, fmt.Errorf("exit %d: %s", code, strings.TrimSpace(stderr.String()))
	}
	return document, code, nil
}
