package app

import (
	"context"
	"path/filepath"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

// repository looks at the repository, if there is one, and at what in it judges a change. Who owns it is checked by
// opening it.
func (d *doctor) repository(ctx context.Context) {
	repo, err := optionalRepo(ctx, d.env)
	switch {
	case err != nil:
		d.fail("repository", err)
		return
	case repo == nil:
		d.ok("repository", "none here: only `gavel scan` and `gavel review --patch` can work")
		return
	}
	defer repo.Close()
	d.ok("repository", "%s", gavel.DisplayPath(repo.Root))
	trusted, err := repo.TrustedBase(ctx)
	if err != nil {
		d.fail("trusted_base", err)
		return
	}
	d.trustedBase(trusted)
	d.policy(ctx, repo, trusted)
	d.baseline(ctx, repo, trusted)
	for _, hook := range []string{hookPreCommit, hookPrePush} {
		d.hook(ctx, repo, hook)
	}
}

func (d *doctor) trustedBase(trusted git.TrustedBase) {
	switch {
	case trusted.Commit == "":
		d.ok("trusted_base", "none yet: there is no commit")
	case trusted.Caveat != "":
		d.add("trusted_base", DoctorWarn, "fetch the branch that changes are merged into, and name it: git remote set-head origin --auto", "%s", trusted.Caveat)
	default:
		d.ok("trusted_base", "%s (%.12s)", trusted.Ref, trusted.Commit)
	}
}

func (d *doctor) policy(ctx context.Context, repo *git.Repo, trusted git.TrustedBase) {
	stack, err := repoPolicy(ctx, d.env, repo, policyTrees{Base: trusted.Commit, BaseName: trusted.Ref, Head: repo.Head})
	switch {
	case err != nil:
		d.fail("policy", err)
	case len(stack.Notes) > 0:
		d.add("policy", DoctorWarn, "see `gavel config show --origin`", "%s", stack.Notes[0])
	default:
		d.ok("policy", "mode %s, fail_on %s, warn_on %s", stack.Policy.Mode, stack.Policy.FailOn, stack.Policy.WarnOn)
	}
}

func (d *doctor) baseline(ctx context.Context, repo *git.Repo, trusted git.TrustedBase) {
	baseline, err := trustedBaseline(ctx, repo, trusted)
	if err != nil {
		d.fail("baseline", err)
		return
	}
	total := 0
	for _, n := range baseline {
		total += n
	}
	d.ok("baseline", "%s known", plural(total, "finding"))
}

// hook looks at one hook. A hook of gavel's that cannot find gavel stops every commit, which is worth a failure.
func (d *doctor) hook(ctx context.Context, repo *git.Repo, name string) {
	id := "hook_" + map[string]string{hookPreCommit: "pre_commit", hookPrePush: "pre_push"}[name]
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		d.fail(id, err)
		return
	}
	hook := hookFile{name, filepath.Join(dir, name)}
	state, err := hook.read()
	target := hookTarget(state.text)
	switch {
	case err != nil:
		d.add(id, DoctorWarn, gavel.AsError(err).Hint, "%s", gavel.AsError(err).Message)
	case !state.exists:
		d.add(id, DoctorOK, "gavel hook install "+name, "not installed")
	case state.owner == hookForeign:
		d.ok(id, "another program's (%s)", gavel.DisplayPath(hook.path))
	case state.mode.Perm()&0o111 == 0:
		d.add(id, DoctorWarn, "gavel hook install "+name, "%s is not executable, so git does not run it", gavel.DisplayPath(hook.path))
	case state.owner == hookEdited:
		d.add(id, DoctorWarn, "", "%s was edited since gavel wrote it", gavel.DisplayPath(hook.path))
	case executable(target):
		d.ok(id, "installed, runs %s", gavel.DisplayPath(target))
	case inPath(d.env, "gavel") != "":
		d.add(id, DoctorWarn, "gavel hook install "+name, "runs %s from PATH, since %s is gone", gavel.DisplayPath(inPath(d.env, "gavel")), gavel.DisplayPath(target))
	default:
		d.add(id, DoctorFail, "gavel hook install "+name, "%s is gone, and there is no gavel in PATH: the hook stops everything", gavel.DisplayPath(target))
	}
}

// inPath returns the executable that PATH gives for a name, "" when there is none.
func inPath(env *Env, name string) string {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
			return path
		}
	}
	return ""
}
