package check

import (
	"fmt"
	"slices"
)

// eachReport reads the files of a check that leaves several, one after the other, and makes one report of them. One
// file that cannot be read makes all of them unreadable. It is for formats that leave the exit code alone: no file
// knows what the others hold.
func eachReport(parse Parser) Parser {
	return func(o Output) (Report, error) {
		if len(o.Reports) == 0 {
			return parse(o)
		}
		var all Report
		size := 0
		for _, file := range o.Reports {
			if size += len(file.Data); size > maxReport {
				return Report{}, fmt.Errorf("the %d files are too large to be read: at most %d bytes", len(o.Reports), maxReport)
			}
			one := o
			one.Report, one.Reports = file.Data, nil
			r, err := parse(one)
			if err != nil {
				return Report{}, fmt.Errorf("%s: %w", excerpt(file.Name), err)
			}
			all.add(r)
		}
		return all, nil
	}
}

// add appends another report. What one of the two does not count, the sum does not either.
func (r *Report) add(other Report) {
	r.Findings = append(r.Findings, other.Findings...)
	r.Tests = append(r.Tests, other.Tests...)
	if r.Measured < 0 || other.Measured < 0 {
		r.Measured = -1
	} else {
		r.Measured += other.Measured
	}
	for _, what := range other.Reduced {
		if !slices.Contains(r.Reduced, what) {
			r.Reduced = append(r.Reduced, what)
		}
	}
}
