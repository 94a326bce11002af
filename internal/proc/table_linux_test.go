package proc

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " 4194304 266 0 0 0 0 0 0 0 20 0 %d 0 1582746 1292263424 909"
	for _, tt := range []struct {
		stat string
		want entry
		ok   bool
	}{
		{"7 (sh) S 1 2 3 0 -1" + fmt.Sprintf(rest, 1), entry{pid: 7, parent: 1, group: 2, session: 3}, true},
		{"7 (a) b) Z 9) R 1 2 3 0 -1" + fmt.Sprintf(rest, 4), entry{pid: 7, parent: 1, group: 2, session: 3}, true},
		{"7 (sh) Z 1 2 3 0 -1" + fmt.Sprintf(rest, 1), entry{pid: 7, parent: 1, group: 2, session: 3, zombie: true}, true},
		{"7 (sh) Z 1 2 3 0 -1" + fmt.Sprintf(rest, 2), entry{pid: 7, parent: 1, group: 2, session: 3}, true},
		{"7 (sh) S 1 2 3", entry{}, false},
		{"7 sh S 1 2 3", entry{}, false},
		{"", entry{}, false},
	} {
		got, ok := parseStat(7, []byte(tt.stat))
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %+v, %v", tt.stat, got, ok)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	self, _ := os.ReadFile("/proc/self/stat")
	f.Add(self)
	f.Add([]byte("7 (a) b) Z 9) R 1"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if e, ok := parseStat(7, stat); ok && e.pid != 7 {
			t.Errorf("%+v", e)
		}
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	table, err := processes(func(pid int) bool { return pid < os.Getpid() })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(table, func(e entry) bool { return e.pid == os.Getpid() && e.parent == os.Getppid() }) {
		t.Error("this process is not listed")
	}
	if slices.ContainsFunc(table, func(e entry) bool { return e.pid < os.Getpid() }) {
		t.Error("a lower number is listed")
	}
}

// Marks differ between tasks that follow each other, and from the limit that processes without one have.
func TestMarks(t *testing.T) {
	t.Parallel()
	own := readMark(os.Getpid())
	seen := map[uint64]bool{own: true}
	for id := range uint64(1000) {
		mark := markOf(id)
		if mark == 0 {
			t.Skip("there is no room for marks in the limit of message queues")
		}
		if seen[mark] || mark < own/2-1 {
			t.Fatalf("%d: %d", id, mark)
		}
		seen[mark] = true
	}
}
