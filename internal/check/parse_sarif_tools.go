package check

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// ruffFamilies are the letters of ruff's rule ids that are not about bugs; ruff's SARIF tells no more of a rule than its id.
var ruffFamilies = map[string]gavel.Category{
	"s": gavel.CategorySecurity, "perf": gavel.CategoryPerformance, "pt": gavel.CategoryTest, "d": gavel.CategoryDocs,
	"doc": gavel.CategoryDocs, "com": gavel.CategoryStyle, "e": gavel.CategoryStyle, "i": gavel.CategoryStyle,
	"isc": gavel.CategoryStyle, "n": gavel.CategoryStyle, "q": gavel.CategoryStyle, "sim": gavel.CategoryStyle,
	"up": gavel.CategoryStyle, "w": gavel.CategoryStyle,
}

// ruffCategory tells what a rule of ruff is about: F401, S602, invalid-syntax.
func ruffCategory(id string) gavel.Category {
	id = strings.ToLower(id)
	if strings.Contains(id, "syntax") || strings.HasPrefix(id, "e9") {
		return gavel.CategoryBuild
	}
	family := strings.TrimRight(id, "0123456789")
	if category, ok := ruffFamilies[family]; ok && family != id {
		return category
	}
	return gavel.CategoryBug
}

// banditPassword is how the messages of B105, B106 and B107 begin; the password itself follows.
const banditPassword = "Possible hardcoded password"

// withoutSecret leaves out of a message the value that the tool found: no finding holds a secret.
func withoutSecret(message string) string {
	if strings.HasPrefix(message, banditPassword) {
		return banditPassword
	}
	return message
}
