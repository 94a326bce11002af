package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// categories are the words of Only, which holds several of them with commas between; empty = all.
func (in ReviewInput) categories() ([]gavel.Category, error) {
	var all []gavel.Category
	for _, list := range in.Only {
		for word := range strings.SplitSeq(list, ",") {
			word = strings.TrimSpace(word)
			if err := checkEnum("only", word, detectorCategories...); err != nil {
				return nil, err
			}
			all = append(all, gavel.Category(word))
		}
	}
	slices.SortFunc(all, func(a, b gavel.Category) int { return cmp.Compare(a, b) })
	return slices.Compact(all), nil
}

// readRules reads the user's own secret rules. The name comes from the command line alone: no repository can give one.
func (in *ReviewInput) readRules(ctx context.Context, env *Env) error {
	if in.Rules == "" {
		return nil
	}
	f, err := openInput(ctx, env.path(in.Rules))
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err != nil {
		return gavel.Errorf(gavel.InvalidArgs, "rules: %w", err)
	}
	defer f.Close()
	in.extra, err = detect.ReadSecretRules(f)
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err != nil {
		return gavel.Errorf(gavel.InvalidArgs, "rules: %s: %w", gavel.DisplayPath(in.Rules), err)
	}
	return nil
}

// narrowing is what a document says of how its review differs from one of the whole change by all detectors and the
// built-in rules alone.
func (in ReviewInput) narrowing() []string {
	all := in.filters()
	if words, _ := in.categories(); len(words) > 0 {
		names := make([]string, len(words))
		for i, w := range words {
			names[i] = string(w)
		}
		all = append(all, "only="+strings.Join(names, ","))
	}
	if in.extra != nil {
		all = append(all, rulesFilter+in.extra.Digest)
	}
	return all
}

// rulesFilter begins the entry that names the user's own rules by their digest. They add findings and take none away,
// so that a document made with them is not narrowed; but it can only be computed again with the same rules.
const rulesFilter = "rules="

// narrowed returns the entries that leave something out.
func narrowed(filters []string) []string {
	return slices.DeleteFunc(slices.Clone(filters), func(f string) bool { return strings.HasPrefix(f, rulesFilter) })
}

func (r *reviewer) judgeSettings() judgeSettings {
	only, _ := r.in.categories() // validated
	return judgeSettings{NoFlaky: r.in.NoFlaky, Only: only, Rules: r.in.extra, Workers: r.in.Workers, Now: r.now, Baseline: r.baseline}
}
