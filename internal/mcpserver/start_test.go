package mcpserver

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart starts a fresh process each time and reports medians: milliseconds until initialize is answered, until
// tools/list is answered after that, and the memory of the idle process. The contract: 15 ms, 10 ms, 25 MiB.
func BenchmarkStart(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "fixture")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "./testdata/fixture").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, more := range []int{0, 25} {
		b.Run(strconv.Itoa(2+more)+"tools", func(b *testing.B) {
			var first, second, memory []float64
			for range b.N {
				one, two, mib := measureStart(b, bin, more)
				first, second, memory = append(first, one), append(second, two), append(memory, mib)
			}
			b.ReportMetric(median(first), "ms-init")
			b.ReportMetric(median(second), "ms-list")
			b.ReportMetric(median(memory), "MiB-idle")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func measureStart(b *testing.B, bin string, more int) (initialize, list, mib float64) {
	b.Helper()
	cmd := exec.Command(bin)
	cmd.Env = append(os.Environ(), "FIXTURE_TOOLS="+strconv.Itoa(more))
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	answers := bufio.NewReader(out)
	ask := func(text string) float64 {
		io.WriteString(in, text)
		if _, err := answers.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		took := time.Since(started)
		started = time.Now()
		return float64(took.Microseconds()) / 1000
	}
	initialize = ask(initLine(hello))
	list = ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	mib = residentMiB(cmd.Process.Pid)
	in.Close()
	cmd.Wait()
	return initialize, list, mib
}

// residentMiB is 0 where the system does not tell.
func residentMiB(pid int) float64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	for text := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(text, "VmRSS:"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kib / 1024
		}
	}
	return 0
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
