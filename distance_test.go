package gavel

import "testing"

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"review", "review", 0}, {"reveiw", "review", 1}, {"scn", "scan", 1}, {"scaan", "scan", 1}, {"abc", "xyz", 3}, {"", "abc", 3}} {
		if got := EditDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzEditDistance(f *testing.F) {
	f.Add("review", "reveiw")
	f.Add("", "ä\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)*len(b) > 1<<16 {
			return
		}
		d := EditDistance(a, b)
		if d != EditDistance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Errorf("EditDistance(%q, %q) = %d", a, b, d)
		}
	})
}
