package detect

import (
	"strings"
	"testing"
)

func FuzzNeedles(f *testing.F) {
	words := []string{"nolint", "noqa", "fit", "@ts-", "qt.", "\xff\xfe\xfd"}
	n := newNeedles(words...)
	for _, s := range []string{"", "no", "fit", "xfit", "// nolint", "n\xff\xfe\xfdx", "qt", "noqano"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		want := -1
		for _, w := range words {
			if i := strings.Index(line, w); i >= 0 && (want < 0 || i < want) {
				want = i
			}
		}
		if got := n.index(line); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	})
}
