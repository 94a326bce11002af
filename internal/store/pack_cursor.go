package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/gavel-review/gavel"
)

// A cursor is a position and a check sum over it and over what was asked, so that one that was garbled, or made for
// another question, is told from one that fits.

const cursorSum = 10

func makeCursor(position uint64, asked ...string) string {
	raw := binary.BigEndian.AppendUint64(nil, position)
	return base64.RawURLEncoding.EncodeToString(append(raw, cursorCheck(position, asked)...))
}

// readCursor returns the position; an empty cursor is the beginning.
func readCursor(cursor string, asked ...string) (uint64, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err == nil && len(raw) == 8+cursorSum {
		position := binary.BigEndian.Uint64(raw)
		if string(raw[8:]) == string(cursorCheck(position, asked)) {
			return position, nil
		}
	}
	return 0, gavel.Errorf(gavel.InvalidArgs, "cursor: not one that this question gave").
		WithHint("take next_cursor of the last page and leave everything else as it was, or begin without a cursor")
}

func cursorCheck(position uint64, asked []string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", position, asked))
	return sum[:cursorSum]
}

// clampLimit bounds a page's size: 0 is the default.
func clampLimit(limit, normal, most int) int {
	if limit == 0 {
		return normal
	}
	return min(max(limit, 1), most)
}
