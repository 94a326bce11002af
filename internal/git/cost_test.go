//go:build unix

package git

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestCost prints what a comparison of the repository in GAVEL_COST_REPO costs. It judges nothing.
func TestCost(t *testing.T) {
	dir := os.Getenv("GAVEL_COST_REPO")
	if dir == "" {
		t.Skip("GAVEL_COST_REPO is not set")
	}
	for range costRounds() {
		start := time.Now()
		own, children := usage(syscall.RUSAGE_SELF), usage(syscall.RUSAGE_CHILDREN)
		r, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		opened := time.Since(start)
		c, err := r.Pin(t.Context(), Scope{Kind: Staged})
		if err != nil {
			t.Fatal(err)
		}
		pinned := time.Since(start)
		if _, err := r.TrustedBase(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.File(t.Context(), c.Head.Tree, ".gavel.toml"); err != nil {
			t.Fatal(err)
		}
		n, lines := 0, 0
		for file, err := range c.Files(t.Context(), Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			a, d := counts(file)
			n, lines = n+1, lines+a+d
		}
		r.Close()
		var rss syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &rss)
		t.Logf("%d files, %d lines: own %v, children %v, wall %v (open %v, pin %v), largest child %d KiB", n, lines,
			usage(syscall.RUSAGE_SELF)-own, usage(syscall.RUSAGE_CHILDREN)-children, time.Since(start), opened, pinned, rss.Maxrss)
	}
}

func usage(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func costRounds() int {
	if n, err := strconv.Atoi(os.Getenv("GAVEL_COST_ROUNDS")); err == nil {
		return n
	}
	return 5
}
