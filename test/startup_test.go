package test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initTrace is a line of GODEBUG=inittrace=1: package, time, allocations.
var initTrace = regexp.MustCompile(`^init (\S+) @\S+ ms, ([0-9.]+) ms clock`)

// TestStartUp fails when a package does more than 1 ms of work before main. The least of several runs counts, so that a
// busy machine does not matter.
func TestStartUp(t *testing.T) {
	t.Parallel()
	const runs, limit = 7, 1.0
	least := map[string]float64{}
	for range runs {
		cmd := exec.Command(gavel(t), "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, &stderr)
		}
		for lines := bufio.NewScanner(&stderr); lines.Scan(); {
			m := initTrace.FindStringSubmatch(lines.Text())
			if m == nil {
				continue
			}
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if old, seen := least[m[1]]; !seen || ms < old {
				least[m[1]] = ms
			}
		}
	}
	if len(least) == 0 {
		t.Fatal("the runtime reported no package")
	}
	for name, ms := range least {
		if ms > limit {
			t.Errorf("package %s takes %.2f ms to initialise, more than %.0f", name, ms, limit)
		}
	}
}
