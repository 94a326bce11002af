package app

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

// maxPushLine bounds one line of git's list of references, in bytes.
const maxPushLine = 1 << 20

// pushedRef is one line that git gives a pre-push hook. An id of zeros is a side that does not exist.
type pushedRef struct {
	Local, LocalID   string
	Remote, RemoteID string
}

func (p pushedRef) deletion() bool { return zeroID(p.LocalID) }
func (p pushedRef) created() bool  { return zeroID(p.RemoteID) }

// readPush reads git's list: local name, local id, remote name, remote id. The local name may be any expression, with
// blanks too, so that a line is read from its end.
func readPush(r io.Reader) ([]pushedRef, error) {
	var refs []pushedRef
	if r == nil {
		return nil, nil
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxPushLine)
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		n := len(words)
		if n < 4 || !objectID(words[n-1]) || !objectID(words[n-3]) {
			return nil, gavel.Errorf(gavel.InvalidArgs, "standard input: %.80q is not a line that git gives a pre-push hook", lines.Text())
		}
		refs = append(refs, pushedRef{strings.Join(words[:n-3], " "), words[n-3], words[n-2], words[n-1]})
	}
	if err := lines.Err(); err != nil {
		return nil, gavel.Errorf(gavel.InvalidArgs, "standard input: %w", err)
	}
	return refs, nil
}

// objectID reports whether the word is a whole object id, SHA-1 or SHA-256.
func objectID(word string) bool {
	return (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == ""
}

func zeroID(id string) bool { return strings.Trim(id, "0") == "" }

// prePush reviews every reference of a push.
func (o *HookRunOutput) prePush(ctx context.Context, env *Env) error {
	in, err := env.input(ctx, "-")
	if err != nil {
		return err
	}
	defer in.Close()
	refs, err := readPush(in)
	if err != nil || len(refs) == 0 {
		return err
	}
	repo, err := openRepo(ctx, env, env.Dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	trusted, err := repo.TrustedBase(ctx)
	if err != nil {
		return err
	}
	p := push{env: env, repo: repo, trusted: trusted, done: make(map[string]bool)}
	for _, ref := range refs {
		review, err := p.review(ctx, ref)
		if err != nil {
			e := *gavel.AsError(err)
			e.Message = gavel.DisplayPath(ref.Remote) + ": " + e.Message
			return &e
		}
		review.Ref = ref.Remote
		o.Reviews = append(o.Reviews, review)
	}
	return nil
}

// push is one push under review. Branches that point to the same commit are reviewed once.
type push struct {
	env     *Env
	repo    *git.Repo
	trusted git.TrustedBase
	done    map[string]bool
}

func (p *push) review(ctx context.Context, ref pushedRef) (HookReview, error) {
	if ref.deletion() {
		return HookReview{What: "deleted, nothing to review"}, nil
	}
	key := ref.RemoteID + ".." + ref.LocalID
	if p.done[key] {
		return HookReview{What: "the same commits as above"}, nil
	}
	p.done[key] = true
	return p.compare(ctx, ref)
}

// compare picks what the push adds. A remote commit that is not here (somebody else's, about to be overwritten) cannot
// be compared with; then the whole branch is looked at, as for a new one.
func (p *push) compare(ctx context.Context, ref pushedRef) (HookReview, error) {
	if !ref.created() {
		here, err := p.repo.HasCommit(ctx, ref.RemoteID)
		if err != nil {
			return HookReview{}, err
		}
		if here {
			return p.run(ctx, ref.RemoteID+".."+ref.LocalID, "what the push changes there")
		}
	}
	if p.trusted.Commit == "" {
		return p.run(ctx, p.repo.EmptyTree()+".."+ref.LocalID, "all of it, since there is no trusted base")
	}
	r, err := p.run(ctx, p.trusted.Commit+"..."+ref.LocalID, "everything since "+p.trusted.Ref)
	if e := gavel.AsError(err); e != nil && e.Class == gavel.BaseNotFound {
		return p.run(ctx, p.repo.EmptyTree()+".."+ref.LocalID, "all of it, since it shares nothing with "+p.trusted.Ref)
	}
	if err != nil || r.Review != nil || p.published() {
		return r, err
	}
	// The base is a local branch that may never have been pushed: that it holds the commit says nothing.
	return p.run(ctx, p.repo.EmptyTree()+".."+ref.LocalID, "all of it, since nothing was published yet")
}

// published reports whether the trusted base is known to be on a remote: branches of the remote are named after it.
func (p *push) published() bool { return strings.HasPrefix(p.trusted.Ref, "origin/") }

// run reviews one range. No difference is nothing to review, unlike where a person names a range by hand.
func (p *push) run(ctx context.Context, revisions, what string) (HookReview, error) {
	in := hookReview(p.env)
	in.Diff = []string{revisions}
	review, err := runReview(ctx, p.env, in)
	switch {
	case err != nil:
		return HookReview{}, err
	case review.Notice() != "":
		return HookReview{What: "no difference, nothing to review"}, nil
	}
	return HookReview{What: what, Review: review}, nil
}
