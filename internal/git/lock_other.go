//go:build !unix

package git

import (
	"errors"
	"os"

	"github.com/gavel-review/gavel"
)

var errLocked = errors.New("locked by another process")

func lockFile(string) (*os.File, error) {
	return nil, gavel.Errorf(gavel.Refused, "this system is not supported yet: folders for trees cannot be locked")
}
