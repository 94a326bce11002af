//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// moments is how often something is killed where nobody asks for more.
const moments = 20

func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	dir := t.TempDir()
	gavel := os.Getenv("GAVEL_TEST_BINARY")
	if gavel == "" {
		gavel = filepath.Join(dir, "gavel")
		cmd := exec.Command("go", "build", "-o", gavel, "./cmd/gavel")
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building gavel: %v\n%s", err, out)
		}
	}
	scene := func(t *testing.T) *scene {
		s, err := newScene(filepath.Join(t.TempDir(), "scene"), gavel)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.end)
		return s
	}
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		c := campaign{scene: scene(t), seed: 1}
		if err := c.kill(moments); err != nil {
			t.Fatal(err)
		}
		t.Log(c.tally())
	})
	t.Run("together", func(t *testing.T) {
		t.Parallel()
		line, err := scene(t).together(10)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(line)
	})
	t.Run("hostile", func(t *testing.T) {
		t.Parallel()
		told, err := scene(t).hostileChecks(false, false)
		for _, line := range told {
			t.Log(line)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
