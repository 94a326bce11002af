package check

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// countLines takes every line for a test, and a line "!" for a report that cannot be read.
var countLines Parser = func(o Output) (Report, error) {
	r := Report{Reduced: []string{"told each time"}}
	for line := range strings.Lines(string(o.Report)) {
		switch line = strings.TrimSpace(line); line {
		case "!":
			return Report{}, errors.New("unreadable")
		case "?":
			r.Measured = -1
			return r, nil
		}
		r.Tests = append(r.Tests, gavel.TestResult{Name: line, Outcome: gavel.TestPassed})
		r.Measured++
	}
	return r, nil
}

func TestEachReport(t *testing.T) {
	t.Parallel()
	files := func(data ...string) (all []NamedReport) {
		for i, d := range data {
			all = append(all, NamedReport{Name: "TEST-" + string(rune('a'+i)) + ".xml", Data: []byte(d)})
		}
		return all
	}
	r, err := eachReport(countLines)(Output{Reports: files("one\ntwo\n", "three\n")})
	if err != nil || len(r.Tests) != 3 || r.Measured != 3 || !reflect.DeepEqual(r.Reduced, []string{"told each time"}) {
		t.Errorf("two files: %+v %v", r, err)
	}
	if r, err := eachReport(countLines)(Output{Report: []byte("one\n")}); err != nil || len(r.Tests) != 1 {
		t.Errorf("one report: %+v %v", r, err)
	}
	if r, err := eachReport(countLines)(Output{Reports: files("one\n", "?\n", "two\n")}); err != nil || r.Measured != -1 {
		t.Errorf("a file that does not count: %+v %v", r, err)
	}
	big := strings.Repeat("\n", maxReport/2+1)
	if _, err := eachReport(countLines)(Output{Reports: files("?"+big, "?"+big)}); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("files that are too large: %v", err)
	}
	_, err = eachReport(countLines)(Output{Reports: files("one\n", "!\n")})
	if err == nil || !strings.Contains(err.Error(), "TEST-b.xml: unreadable") {
		t.Errorf("an unreadable file: %v", err)
	}
}
