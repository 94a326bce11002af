package app

import (
	"errors"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// reveal shows a renamed file whole where it comes from a place that is judged otherwise: lines that a rename leaves
// alone were never looked at as what they are now. A text becomes code, a fixture production, a vendored file the
// project's own.
func reveal(f *gavel.File, text func() (string, error)) error {
	if f.Status != gavel.Renamed || f.Skip != nil || f.Binary || !judgedOtherwise(f.OldPath, f.Path) {
		return nil
	}
	if text == nil {
		return errors.New("the patch moves the file to where it is judged otherwise and does not hold its text")
	}
	whole, err := text()
	switch {
	case err != nil:
		return err
	case strings.IndexByte(whole, 0) >= 0:
		f.Binary, f.Skip = true, &gavel.Skip{Reason: gavel.SkipBinary}
		return nil
	case strings.Count(whole, "\n") > maxLines:
		f.Skip = &gavel.Skip{Reason: gavel.SkipTooLarge, Detail: "more than a million lines"}
		return nil
	}
	fillText(f, whole)
	return nil
}

// judgedOtherwise reports whether a path is judged by rules that its old one was not.
func judgedOtherwise(old, now string) bool {
	becomes := func(class func(string) bool) bool { return class(old) != class(now) }
	generated := func(path string) bool { return code.Generated(path, "") }
	program := func(path string) bool { return code.LanguageOf(path, "").Program }
	return becomes(code.Vendored) || becomes(code.LockFile) || becomes(code.IsFixture) || becomes(code.IsTest) ||
		becomes(generated) || !program(old) && program(now)
}
