package app

import (
	"context"

	"github.com/gavel-review/gavel"
)

func (r *reviewer) reviewPatch(context.Context) (*ReviewOutput, error) {
	return nil, gavel.Errorf(gavel.Internal, "later")
}
