package git

import (
	"fmt"
	"strings"
)

const transferHeader = "Content-Transfer-Encoding:"

// transferEncoding reads a mail's header line about how the text below it is written, with the line below for one that
// is folded. It returns the encoding where the text would have to be decoded before it can be applied, else "".
func transferEncoding(line, next string) string {
	if len(line) < len(transferHeader) || !strings.EqualFold(line[:len(transferHeader)], transferHeader) {
		return ""
	}
	value := strings.TrimSpace(line[len(transferHeader):])
	if value == "" && next != "" && (next[0] == ' ' || next[0] == '\t') {
		value = strings.TrimSpace(next)
	}
	word, _, _ := strings.Cut(value, ";")
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "", "7bit", "8bit", "binary":
		return ""
	}
	return word
}

// encodedError says that the stream holds a mail whose text is not what would be applied.
func encodedError(encoding string) error {
	return fmt.Errorf("a mail in it has the Content-Transfer-Encoding %q; decode it first, as git mailinfo does", clipped(encoding))
}
