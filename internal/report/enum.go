package report

import (
	"reflect"

	"github.com/gavel-review/gavel"
)

// words lists the closed lists of the document by type. The reader refuses any other word, and the schema writes
// them out.
func words(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[gavel.Severity]():
		return severityWords()
	case reflect.TypeFor[gavel.Threshold]():
		return append(severityWords(), string(gavel.Any), string(gavel.None))
	case reflect.TypeFor[gavel.Decision]():
		return strs(gavel.Pass, gavel.Conditional, gavel.Block)
	case reflect.TypeFor[gavel.Category]():
		return strs(
			gavel.CategorySecret, gavel.CategoryFlaky, gavel.CategoryRisk, gavel.CategoryInjection, gavel.CategoryHygiene,
			gavel.CategoryBug, gavel.CategorySecurity, gavel.CategoryPerformance, gavel.CategoryTest, gavel.CategoryBuild,
			gavel.CategoryStyle, gavel.CategoryDependency, gavel.CategoryDocs)
	case reflect.TypeFor[gavel.Source]():
		return strs(gavel.SourceDetector, gavel.SourceModel, gavel.SourceCheck, gavel.SourceHost)
	case reflect.TypeFor[gavel.Confidence]():
		return strs(gavel.ConfidenceLow, gavel.ConfidenceMedium, gavel.ConfidenceHigh)
	case reflect.TypeFor[gavel.Scope]():
		return strs(gavel.ScopeChangedLine, gavel.ScopeChangedFile, gavel.ScopeElsewhere)
	case reflect.TypeFor[gavel.BaselineState]():
		return strs(gavel.BaselineNew, gavel.BaselineUnchanged, gavel.BaselineAbsent, gavel.BaselineUnknown)
	case reflect.TypeFor[gavel.Reason]():
		return strs(reasons...)
	case reflect.TypeFor[gavel.SkipReason]():
		return strs(append(expectedSkips[:len(expectedSkips):len(expectedSkips)], unexpectedSkips...)...)
	case reflect.TypeFor[gavel.ModelCoverage]():
		return strs(gavel.ModelNone, gavel.ModelHost, gavel.ModelPartial, gavel.ModelFull)
	}
	return nil
}

var (
	reasons = []gavel.Reason{
		gavel.ReasonOutsideChange, gavel.ReasonRuled, gavel.ReasonBaseline, gavel.ReasonSuppressed,
		gavel.ReasonDuplicate, gavel.ReasonExcluded, gavel.ReasonBelowThreshold,
	}
	expectedSkips = []gavel.SkipReason{
		gavel.SkipBinary, gavel.SkipVendored, gavel.SkipGenerated, gavel.SkipLockFile, gavel.SkipModeOnly,
		gavel.SkipSubmodule, gavel.SkipLFS,
	}
	unexpectedSkips = []gavel.SkipReason{
		gavel.SkipUnreadable, gavel.SkipObjectMissing, gavel.SkipTooLarge, gavel.SkipTimedOut, gavel.SkipUndecodable,
	}
)

func severityWords() []string {
	var out []string
	for _, s := range gavel.Severities {
		out = append(out, s.String())
	}
	return out
}

func strs[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
