package proc

import "golang.org/x/sys/unix"

// zombieState is SZOMB of sys/proc.h.
const zombieState = 5

// processes lists the processes whose numbers skip does not tell to leave out. The session is not known.
func processes(skip func(pid int) bool) ([]entry, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	list := make([]entry, 0, len(infos))
	for i := range infos {
		p := entry{
			pid:    int(infos[i].Proc.P_pid),
			parent: int(infos[i].Eproc.Ppid),
			group:  int(infos[i].Eproc.Pgid),
			zombie: infos[i].Proc.P_stat == zombieState,
		}
		if !skip(p.pid) {
			list = append(list, p)
		}
	}
	return list, nil
}
