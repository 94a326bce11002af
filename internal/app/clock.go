package app

import (
	"strconv"
	"time"

	"github.com/gavel-review/gavel"
)

// parseEpoch reads SOURCE_DATE_EPOCH: whole seconds since 1970, up to the year 9999.
func parseEpoch(epoch string) (time.Time, error) {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > 253402300799 {
		return time.Time{}, gavel.Errorf(gavel.InvalidArgs, "SOURCE_DATE_EPOCH: %q is not a number of seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
