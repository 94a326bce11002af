package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
)

var (
	idA   = strings.Repeat("a", 40)
	idB   = strings.Repeat("b", 64)
	idNil = strings.Repeat("0", 40)
)

func TestReadPush(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []pushedRef
	}{
		{"nothing", "", nil},
		{"a branch", "refs/heads/x " + idA + " refs/heads/x " + idNil + "\n", []pushedRef{{"refs/heads/x", idA, "refs/heads/x", idNil}}},
		{"no last newline", "HEAD " + idA + " refs/heads/x " + idA, []pushedRef{{"HEAD", idA, "refs/heads/x", idA}}},
		{"sha256", "HEAD " + idB + " refs/heads/x " + idB + "\n", []pushedRef{{"HEAD", idB, "refs/heads/x", idB}}},
		{"blanks in the expression", "HEAD^{/fix a bug} " + idA + " refs/heads/x " + idNil + "\n", []pushedRef{{"HEAD^{/fix a bug}", idA, "refs/heads/x", idNil}}},
		{"a deletion and a tag", "(delete) " + idNil + " refs/heads/x " + idA + "\nrefs/tags/t " + idA + " refs/tags/t " + idNil + "\n",
			[]pushedRef{{"(delete)", idNil, "refs/heads/x", idA}, {"refs/tags/t", idA, "refs/tags/t", idNil}}},
	}
	for _, tt := range tests {
		got, err := readPush(strings.NewReader(tt.text))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
	}
	for _, text := range []string{
		"\n", "x\n", "a b c d\n", "a " + idA + " b " + idA[1:] + "\n", "a " + strings.ToUpper(idA) + " b " + idA + "\n",
		"a " + idA + "  " + idA + " \n", "a --output=x" + " b " + idA + "\n",
		strings.Repeat("x", maxPushLine+1),
	} {
		_, err := readPush(strings.NewReader(text))
		wantClass(t, err, gavel.InvalidArgs, "standard input")
	}
	if refs, err := readPush(nil); refs != nil || err != nil {
		t.Errorf("no standard input: %v, %v", refs, err)
	}
}

func FuzzReadPush(f *testing.F) {
	f.Add("refs/heads/x " + idA + " refs/heads/x " + idNil + "\n")
	f.Add("HEAD^{/a b} " + idB + " r " + idB)
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := readPush(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range refs {
			if !objectID(r.LocalID) || !objectID(r.RemoteID) || !strings.Contains(text, r.Local+" "+r.LocalID+" "+r.Remote+" "+r.RemoteID) {
				t.Fatalf("%q gave %+v", text, r)
			}
		}
	})
}

func TestWorstExit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		exits []int
		want  int
	}{
		{nil, 0}, {[]int{0, 0}, 0}, {[]int{0, 2}, 2}, {[]int{3, 2, 0}, 3}, {[]int{3, 1, 2}, 1}, {[]int{1, 3}, 1}, {[]int{0, -1, 0}, 0},
	}
	for _, tt := range tests {
		o := &HookRunOutput{}
		for _, code := range tt.exits {
			r := HookReview{Review: &ReviewOutput{exit: code}}
			if code < 0 {
				r.Review = nil
			}
			o.Reviews = append(o.Reviews, r)
		}
		if got := o.ExitCode(); got != tt.want {
			t.Errorf("exits %v: %d, want %d", tt.exits, got, tt.want)
		}
	}
}
