package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// processes lists the processes whose numbers skip does not tell to leave out, as far as this one may see them.
func processes(skip func(pid int) bool) ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	list := make([]entry, 0, 64)
	buf := make([]byte, 1024)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		pid, err := strconv.Atoi(name)
		if err != nil || skip(pid) {
			continue
		}
		if p, ok := readProcess(int(dir.Fd()), pid, name+"/stat", buf); ok {
			list = append(list, p)
		}
	}
	return list, nil
}

func readProcess(dir, pid int, name string, buf []byte) (entry, bool) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return entry{}, false
	}
	n, err := unix.Read(fd, buf)
	_ = unix.Close(fd)
	if err != nil || n <= 0 {
		return entry{}, false
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads /proc/<pid>/stat, see proc_pid_stat(5). The name of the program, in parentheses, may hold anything.
func parseStat(pid int, stat []byte) (entry, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return entry{}, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 18 {
		return entry{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i]))
		return n
	}
	p := entry{pid: pid, parent: number(1), group: number(2), session: number(3)}
	// A process whose first thread has ended looks like a zombie while the others run on.
	p.zombie = (fields[0][0] == 'Z' || fields[0][0] == 'X') && number(17) <= 1
	return p, p.parent >= 0
}
