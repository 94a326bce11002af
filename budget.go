package gavel

import (
	"fmt"
	"time"
)

// Budget is how long a run may take, all its checks together. It is above zero and at most [MaxBudget].
type Budget time.Duration

// MaxBudget is the longest budget.
const MaxBudget = Budget(24 * time.Hour)

// ParseBudget reads a duration as Go writes it: 90s, 10m, 1h30m.
func ParseBudget(word string) (Budget, error) {
	d, err := time.ParseDuration(word)
	switch b := Budget(d); {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration: write 90s, 10m or 1h30m", word)
	case b <= 0:
		return 0, fmt.Errorf("%q is not above zero", word)
	case b > MaxBudget:
		return 0, fmt.Errorf("%q is longer than %s", word, time.Duration(MaxBudget))
	default:
		return b, nil
	}
}

// DefaultBudget is the budget of a profile that nobody has given one.
func (p Profile) DefaultBudget() Budget {
	if p == ProfileDeep {
		return Budget(30 * time.Minute)
	}
	return Budget(120 * time.Second)
}

// Budget is the policy's budget for a profile.
func (p Policy) Budget(profile Profile) Budget {
	if b, ok := p.Budgets[profile]; ok {
		return b
	}
	return profile.DefaultBudget()
}

// String is the duration as Go writes it.
func (b Budget) String() string { return time.Duration(b).String() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Budget) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBudget(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (b Budget) MarshalText() ([]byte, error) { return []byte(b.String()), nil }
