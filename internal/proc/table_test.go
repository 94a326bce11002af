//go:build linux || darwin

package proc

import (
	"slices"
	"testing"
)

func TestFamily(t *testing.T) {
	t.Parallel()
	table := []entry{
		{pid: 10, parent: 1}, {pid: 11, parent: 10}, {pid: 12, parent: 11, zombie: true}, {pid: 13, parent: 12},
		{pid: 20, parent: 1}, {pid: 21, parent: 20},
		{pid: 5, parent: 13}, // its number began anew
		{pid: 30, parent: 31}, {pid: 31, parent: 30},
	}
	numbers := func(list []entry) (pids []int) {
		for _, e := range list {
			pids = append(pids, e.pid)
		}
		slices.Sort(pids)
		return pids
	}
	for _, tt := range []struct{ roots, want, alive []int }{
		{nil, nil, nil},
		{[]int{10}, []int{5, 10, 11, 12, 13}, []int{5, 10, 11, 13}},
		{[]int{11, 12}, []int{5, 11, 12, 13}, []int{5, 11, 13}},
		{[]int{10, 20}, []int{5, 10, 11, 12, 13, 20, 21}, []int{5, 10, 11, 13, 20, 21}},
		{[]int{30}, []int{30, 31}, []int{30, 31}},
	} {
		list := family(table, func(e entry) bool { return slices.Contains(tt.roots, e.pid) })
		if got := numbers(list); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v", tt.roots, got)
		}
		if got := numbers(alive(list)); !slices.Equal(got, tt.alive) {
			t.Errorf("%v: alive %v", tt.roots, got)
		}
	}
}
