package git

import "context"

// HasCommit reports whether a commit and its tree are in this repository. Nothing is fetched.
func (r *Repo) HasCommit(ctx context.Context, id string) (bool, error) {
	found, err := r.lookUp(ctx, id+"^{commit}", id+"^{tree}")
	if err != nil {
		return false, err
	}
	return !found[0].missing() && !found[1].missing(), nil
}

// EmptyTree is the id of the tree that holds nothing. A revision may name it in every repository.
func (r *Repo) EmptyTree() string { return r.hash.emptyTree }
