//go:build linux || darwin

package proc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkSupervise is the start of a reaper, one task and the end: what the first task of a run costs more.
// GAVEL_TEST_BINARY names a built program to measure in place of the test binary.
func BenchmarkSupervise(b *testing.B) {
	options := SupervisorOptions{ReapArgs: []string{"child", "reap"}}
	if built := os.Getenv("GAVEL_TEST_BINARY"); built != "" {
		options = SupervisorOptions{Self: built, ReapArgs: []string{"__reap"}}
	}
	for b.Loop() {
		s, err := Supervise(context.Background(), options)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Run(context.Background(), Task{Argv: []string{"/bin/true"}}); err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
	reportCPU(b)
}

// BenchmarkTask is a task beyond what BenchmarkExec is: its output goes into two files.
func BenchmarkTask(b *testing.B) {
	s := supervise(b)
	dir := b.TempDir()
	task := Task{Argv: []string{"/bin/true"}, Stdout: filepath.Join(dir, "o"), Stderr: filepath.Join(dir, "e")}
	for b.Loop() {
		if exit, err := s.Run(context.Background(), task); err != nil || exit.Code != 0 {
			b.Fatal(exit, err)
		}
	}
	_ = s.Close()
	reportCPU(b)
}

// BenchmarkExec is the same program, started and awaited by os/exec.
func BenchmarkExec(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		cmd := exec.Command("/bin/true")
		var err error
		if cmd.Stdout, err = os.Create(filepath.Join(dir, "o")); err != nil {
			b.Fatal(err)
		}
		if cmd.Stderr, err = os.Create(filepath.Join(dir, "e")); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
	reportCPU(b)
}

// reportCPU reports the processor time of this process and of all that it waited for so far; it is the last benchmark's
// alone where only that is run.
func reportCPU(b *testing.B) {
	var own, below syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &below)
	total := own.Utime.Nano() + own.Stime.Nano() + below.Utime.Nano() + below.Stime.Nano()
	b.ReportMetric(float64(total)/float64(b.N)/1e6, "cpu-ms/op")
}
