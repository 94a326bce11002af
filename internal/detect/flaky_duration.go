package detect

import (
	"strconv"
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// milliseconds reads the length of time that the tokens spell, such as 5, 2*time.Second, Duration::from_millis(20) or
// TimeSpan.FromSeconds(1). bare is how many milliseconds a number without a unit means. known is false where a name stands in
// for a number.
func (v *flakyView) milliseconds(from, to int, bare float64) (ms float64, known bool) {
	value, unit, numbers := 1.0, 0.0, 0
	for i := from; i < to; i++ {
		switch v.kind(i) {
		case code.Number:
			n, ok := numberOf(v.text(i))
			if !ok {
				return 0, false
			}
			numbers++
			if v.sign(i-1, '/') && numbers > 1 {
				if n == 0 {
					return 0, false
				}
				n = 1 / n
			} else if v.sign(i-1, '+') || v.sign(i-1, '-') {
				return 0, false
			}
			value *= n
		case code.Ident:
			u, ok := timeUnit(v.text(i))
			switch {
			case ok && u > 0:
				unit = u
			case !ok:
				return 0, false
			}
		case code.Punct:
			if v.sign(i, ',') && numbers > 0 { // what follows is something else, or the unit
				if u, ok := timeUnit(v.lastName(i+1, to)); ok && u > 0 {
					unit = u
				}
				i = to
			}
		case code.String:
			return 0, false
		}
	}
	if unit == 0 {
		if numbers == 0 {
			return 0, false
		}
		unit = bare
	}
	return value * unit, true
}

func (v *flakyView) lastName(from, to int) string {
	for i := to - 1; i >= from; i-- {
		if n := v.name(i); n != "" {
			return n
		}
	}
	return ""
}

// timeUnit returns the unit in milliseconds, 0 for a name that only leads to one.
func timeUnit(name string) (ms float64, ok bool) {
	switch name {
	case "Nanosecond", "nanoseconds", "from_nanos", "ofNanos", "NANOSECONDS":
		return 1e-6, true
	case "Microsecond", "microseconds", "from_micros", "MICROSECONDS", "ofMicros":
		return 1e-3, true
	case "Millisecond", "milliseconds", "from_millis", "FromMilliseconds", "ofMillis", "MILLISECONDS", "millis", "ms", "milli", "Milliseconds":
		return 1, true
	case "Second", "seconds", "from_secs", "FromSeconds", "ofSeconds", "SECONDS", "from_secs_f32", "from_secs_f64", "second", "forTimeInterval", "Seconds":
		return 1000, true
	case "Minute", "minutes", "FromMinutes", "ofMinutes", "MINUTES", "minute", "Minutes", "from_mins":
		return 60000, true
	case "Hour", "hours", "FromHours", "ofHours", "HOURS":
		return 3600000, true
	case "time", "Duration", "TimeSpan", "TimeUnit", "std", "core", "tokio", "for", "duration", "DurationUnit", "java", "util", "concurrent", "timeout", "delta":
		return 0, true
	}
	return 0, false
}

func numberOf(s string) (float64, bool) {
	s = strings.ReplaceAll(s, "_", "")
	s = strings.TrimRight(s, "lLfFdDnmu")
	if i := strings.IndexAny(s, "iu"); i > 0 { // 5u64
		s = s[:i]
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && n >= 0 && n < 1e15
}
