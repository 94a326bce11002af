// Command fuzz runs every fuzz target of the project for a short time, one after the other.
//
//	go run ./test/fuzz [-time 5s]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	duration := flag.String("time", "5s", "time for each target, as go test -fuzztime takes it")
	flag.Parse()
	targets, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	failed := 0
	for _, t := range targets {
		out, err := t.run(*duration)
		for range 2 {
			if err == nil || !endedByItsTime(out) {
				break
			}
			out, err = t.run(*duration)
		}
		if err != nil {
			failed++
			fmt.Printf("FAIL %s %s\n%s", t.pkg, t.name, out)
			continue
		}
		fmt.Printf("ok   %s %s\n", t.pkg, t.name)
	}
	fmt.Printf("%d fuzz targets, %d failed\n", len(targets), failed)
	if failed > 0 || len(targets) == 0 {
		os.Exit(1)
	}
}

type target struct{ pkg, name string }

func (t target) run(duration string) ([]byte, error) {
	return exec.Command("go", "test", t.pkg, "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", duration).CombinedOutput()
}

// endedByItsTime tells a failure of the fuzzing engine, which sometimes takes the end of its own time for one, from an
// input that fails: that is always written down.
func endedByItsTime(out []byte) bool {
	return strings.Contains(string(out), "context deadline exceeded") && !strings.Contains(string(out), "Failing input written")
}

func list() ([]target, error) {
	out, err := exec.Command("go", "test", "-list", "^Fuzz", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go test -list: %w", err)
	}
	var targets []target
	var names []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, name := range names {
				targets = append(targets, target{fields[1], name})
			}
			names = nil
		}
	}
	return targets, nil
}
