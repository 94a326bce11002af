package gavel_test

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

// The skip reasons are two closed lists. A reason that is declared and stands in neither is unexpected.
func TestSkipReasons(t *testing.T) {
	t.Parallel()
	expected := []string{"binary", "generated", "lfs_pointer", "lock_file", "mode_only", "submodule_pointer", "vendored"}
	unexpected := []string{"object_missing", "timed_out", "too_large", "undecodable", "unreadable"}
	for _, word := range expected {
		if !gavel.SkipReason(word).Expected() {
			t.Errorf("%s is not expected", word)
		}
	}
	for _, word := range append(slices.Clone(unexpected), "", "Binary", "other") {
		if gavel.SkipReason(word).Expected() {
			t.Errorf("%q is expected", word)
		}
	}
	declared := constants(t, "change.go", "SkipReason")
	all := append(expected, unexpected...)
	slices.Sort(declared)
	slices.Sort(all)
	if !slices.Equal(declared, all) {
		t.Errorf("declared %v\nlisted   %v", declared, all)
	}
}
