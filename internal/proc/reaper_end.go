//go:build linux || darwin

package proc

import "time"

// How long what remains of a task is waited for. With MaxGrace those that count after its time make less than two seconds.
const (
	settling = 50 * time.Millisecond  // for what ends by itself when its leader has
	stubborn = 800 * time.Millisecond // for what was killed to be gone, before the task is said to be over
	draining = 300 * time.Millisecond // for the end of the output after the end of everybody who could write any
	hunting  = 30 * time.Second       // for what was killed to be gone, when nobody waits any more
)

// end ends what still runs of a task, politely first, and counts the processes beside the leader that this took. What
// was killed may take so long to be gone.
func (r *reaper) end(c *child, patience time.Duration) (left int, err error) {
	begin := time.Now()
	counted := map[int]bool{c.pid: true}
	natural := c.hasExited()
	var chase hunt
	if natural {
		begin = begin.Add(settling)
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 16*time.Millisecond) {
		rest, over := r.rest(c, natural)
		now := time.Now()
		switch {
		case over:
			return len(counted) - 1, nil
		case now.After(begin.Add(c.grace + patience)):
			return len(counted) - 1, errAlive
		case now.After(begin.Add(c.grace)):
			chase.step(rest)
			pause = min(pause, 2*time.Millisecond)
		case !now.Before(begin):
			for _, e := range rest {
				if !counted[e.pid] || !c.asked {
					terminate(e)
				}
			}
			c.asked = true
		}
		if !now.Before(begin) {
			for _, e := range rest {
				counted[e.pid] = true
			}
		}
		if !chase.busy() {
			c.pause(pause)
		}
	}
}

// rest returns the processes of a task that are not over, and whether there will never be one again. Orphans that no task
// has a claim on are taken to be of this one: who hides from us is not left running.
//
// The table is not of one moment: a process may start another, which is not listed, and end before it is looked at
// itself. But then it is seen as a zombie, or its nearest ancestor is that does not live, because nothing is collected
// meanwhile. So only a family without even a zombie is over.
func (r *reaper) rest(c *child, natural bool) (living []entry, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collectLocked()
	skip := r.stranger
	if !natural {
		skip = nobody
	}
	table, err := processes(skip)
	if err != nil {
		// Without a table the leader and its group are all that is known.
		if c.hasExited() {
			return nil, true
		}
		return []entry{{pid: c.pid, group: c.pid}}, false
	}
	list := family(table, func(e entry) bool {
		if e.parent == r.self {
			owner := r.owner(e)
			return owner == c || owner == nil
		}
		return !adopting && e.group == c.pid
	})
	return alive(list), len(list) == 0 && c.hasExited()
}

// stranger tells the processes that nothing else needs to be known of: without a mark, and older than the reaper, if the
// numbers have not begun anew. A task that had to be ended is not trusted with its marks.
func (r *reaper) stranger(pid int) bool {
	return pid < r.self && r.unmarked != 0 && readMark(pid) == r.unmarked
}

// owner returns the task of a process whose parent is the reaper, nil when it is nobody's.
func (r *reaper) owner(e entry) *child {
	if c := r.tasks[e.pid]; c != nil && !c.hasExited() {
		return c
	}
	if mark := readMark(e.pid); mark != 0 {
		for _, c := range r.tasks {
			if c.mark == mark {
				return c
			}
		}
	}
	if c := r.tasks[e.session]; c != nil {
		return c
	}
	return r.tasks[e.group]
}

// endAll ends everything below the reaper, without any grace.
func (r *reaper) endAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var chase hunt
	for end := time.Now().Add(hunting); time.Now().Before(end); chase.pause() {
		r.collectLocked()
		table, err := processes(nobody)
		if err != nil {
			return
		}
		list := family(table, func(e entry) bool {
			return e.parent == r.self || !adopting && r.tasks[e.group] != nil
		})
		if len(list) == 0 {
			return
		}
		chase.step(alive(list))
	}
}
