package main

// changed are numbers of lines, from 1.
type changed map[int]bool

// compareLines returns the lines of each side that the other one lacks, by the matching of Python's difflib, so that the
// numbers are those of the data's own scorer: the longest common block first, then what is left and right of it.
func compareLines(a, b []string) (onlyA, onlyB changed) {
	positions := make(map[string][]int)
	for j, line := range b {
		positions[line] = append(positions[line], j)
	}
	onlyA, onlyB = make(changed), make(changed)
	for i := range a {
		onlyA[i+1] = true
	}
	for j := range b {
		onlyB[j+1] = true
	}
	type region struct{ alo, ahi, blo, bhi int }
	for queue := []region{{0, len(a), 0, len(b)}}; len(queue) > 0; {
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		i, j, k := longestBlock(a, positions, r.alo, r.ahi, r.blo, r.bhi)
		if k == 0 {
			continue
		}
		for n := 1; n <= k; n++ {
			delete(onlyA, i+n)
			delete(onlyB, j+n)
		}
		queue = append(queue, region{r.alo, i, r.blo, j}, region{i + k, r.ahi, j + k, r.bhi})
	}
	return onlyA, onlyB
}

// longestBlock finds the longest run of equal lines, the earliest in a and then in b among equals.
func longestBlock(a []string, positions map[string][]int, alo, ahi, blo, bhi int) (besti, bestj, size int) {
	besti, bestj = alo, blo
	lengths := make(map[int]int)
	for i := alo; i < ahi; i++ {
		next := make(map[int]int)
		for _, j := range positions[a[i]] {
			if j < blo {
				continue
			}
			if j >= bhi {
				break
			}
			k := lengths[j-1] + 1
			next[j] = k
			if k > size {
				besti, bestj, size = i-k+1, j-k+1, k
			}
		}
		lengths = next
	}
	return besti, bestj, size
}
