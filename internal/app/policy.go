package app

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/store"
)

// RepoConfigPath is where a repository says what may pass.
const RepoConfigPath = ".gavel.toml"

// policyStep is the policy after one layer has spoken.
type policyStep struct {
	Origin string
	Policy gavel.Policy
}

// policyStack is the policy in force, how it came about, and what was said on the way.
type policyStack struct {
	Policy gavel.Policy
	User   UserConfig
	Steps  []policyStep
	Notes  []string
}

func (s *policyStack) push(origin string, p gavel.Policy) {
	s.Policy = p
	s.Steps = append(s.Steps, policyStep{origin, p})
}

func (s *policyStack) note(format string, args ...any) {
	s.Notes = append(s.Notes, detect.Redact(fmt.Sprintf(format, args...)))
}

// override lets a trusted layer speak; tighten lets a newer one, and reports what it would have loosened.
func (s *policyStack) override(origin string, l gavel.PolicyLayer) {
	s.push(origin, s.Policy.Override(l))
}

func (s *policyStack) tighten(origin string, l gavel.PolicyLayer, say string) {
	p, loosened := s.Policy.Tighten(l)
	s.push(origin, p)
	for _, key := range loosened {
		s.note("%s: "+say, origin, key)
	}
}

// treeReader reads a file out of a commit or tree. Only "does not exist" is exists=false.
type treeReader interface {
	File(ctx context.Context, treeish, path string) (data []byte, exists bool, err error)
}

// policyTrees are the layers of a repository, oldest first: the trusted base, HEAD and the subject. An empty name is a
// layer that is not there.
type policyTrees struct {
	Base, BaseName string // commit id, and the reference that it came from
	Head           string // commit id
	Subject        string // tree id
}

// userPolicy begins a stack with what needs no repository: the defaults, the user's file and the environment.
func userPolicy(env *Env) (*policyStack, error) {
	s := &policyStack{}
	s.push("default", gavel.DefaultPolicy())
	path := userConfigPath(env)
	user, found, err := readUserConfig(path)
	if err != nil {
		return nil, err
	}
	if found {
		s.User = user
		s.override(path, user.Policy)
	}
	return s, nil
}

// finishUser lets the environment and the user's floor speak; both come after the trusted base.
func (s *policyStack) finishUser(env *Env) error {
	layer, err := environmentPolicy(env)
	if err != nil {
		return err
	}
	if layer.Mode != nil || layer.FailOn != nil || layer.WarnOn != nil {
		s.override("environment", layer)
	}
	if len(s.User.Floor.Validate()) == 0 {
		s.push("floor of "+userConfigPath(env), raiseToFloor(s.Policy, s.User.Floor))
	}
	return nil
}

func raiseToFloor(p gavel.Policy, floor gavel.PolicyLayer) gavel.Policy {
	raised, _ := p.Tighten(floor)
	return raised
}

func environmentPolicy(env *Env) (gavel.PolicyLayer, error) {
	var l gavel.PolicyLayer
	if v := env.Getenv("GAVEL_MODE"); v != "" {
		mode := gavel.EnforcementMode(v)
		l.Mode = &mode
	}
	if v := env.Getenv("GAVEL_FAIL_ON"); v != "" {
		t := gavel.Threshold(v)
		l.FailOn = &t
	}
	if v := env.Getenv("GAVEL_WARN_ON"); v != "" {
		t := gavel.Threshold(v)
		l.WarnOn = &t
	}
	if faults := l.Validate(); len(faults) > 0 {
		for i, fault := range faults {
			key, rest, _ := strings.Cut(fault, ":")
			faults[i] = "GAVEL_" + strings.ToUpper(key) + ":" + rest
		}
		return l, gavel.Errorf(gavel.InvalidArgs, "environment: %s", strings.Join(faults, "; "))
	}
	return l, nil
}

// repoPolicy adds the repository's layers: the trusted base may say anything above the user's floor, HEAD and the
// subject only tighten. A configuration that cannot be read on the trusted base is an error; a newer one is ignored
// and reported, since a change must not be able to switch its own judge off.
func repoPolicy(ctx context.Context, env *Env, trees treeReader, t policyTrees) (*policyStack, error) {
	s, err := userPolicy(env)
	if err != nil {
		return nil, err
	}
	base, baseData, hasBase, err := trustedConfig(ctx, trees, t)
	if err != nil {
		return nil, err
	}
	if hasBase {
		s.override(t.BaseName+":"+RepoConfigPath, base.Policy)
	}
	if err := s.finishUser(env); err != nil {
		return nil, err
	}
	older := configLayer{base.Policy, baseData, hasBase}
	for _, layer := range []struct{ tree, name string }{{t.Head, "HEAD"}, {t.Subject, "the change"}} {
		if layer.tree == "" || layer.tree == t.Base {
			continue
		}
		if older, err = s.newerLayer(ctx, trees, layer.tree, layer.name, older); err != nil {
			return nil, err
		}
	}
	s.Notes = slices.Compact(s.Notes)
	return s, nil
}

// configLayer is one repository layer as it was read, for comparison with the next.
type configLayer struct {
	policy gavel.PolicyLayer
	data   []byte
	exists bool
}

func trustedConfig(ctx context.Context, trees treeReader, t policyTrees) (c RepoConfig, data []byte, exists bool, err error) {
	if t.Base == "" {
		return c, nil, false, nil
	}
	data, exists, err = trees.File(ctx, t.Base, RepoConfigPath)
	if isUnfit(err) {
		return c, nil, false, configError(t.BaseName+":"+RepoConfigPath, "%s", gavel.AsError(err).Message)
	}
	if err != nil || !exists {
		return c, nil, false, err
	}
	c, err = ParseRepoConfig(t.BaseName+":"+RepoConfigPath, data)
	if err != nil {
		e := gavel.AsError(err)
		if e.Hint == "" {
			e = e.WithHint("the policy of the trusted base must be valid before anything can be judged by it")
		}
		return c, nil, false, e
	}
	return c, data, true, nil
}

// isUnfit reports whether what stands in the place of a configuration is there and is none: a folder, a submodule, more
// than anybody reads. What is missing or damaged is another matter.
func isUnfit(err error) bool {
	if err == nil {
		return false
	}
	switch gavel.AsError(err).Class {
	case gavel.InvalidArgs, gavel.BudgetExceeded:
		return true
	}
	return false
}

// newerLayer lets HEAD or the subject speak and returns what the next layer is compared with. A file that equals the
// older one says nothing new.
func (s *policyStack) newerLayer(ctx context.Context, trees treeReader, tree, name string, older configLayer) (configLayer, error) {
	data, exists, err := trees.File(ctx, tree, RepoConfigPath)
	name += ":" + RepoConfigPath
	if isUnfit(err) {
		s.note("%s: ignored, invalid policy: %s", name, gavel.AsError(err).Message)
		return older, nil
	}
	if err != nil {
		return older, err
	}
	switch {
	case !exists:
		if older.exists {
			s.note("%s does not exist: the trusted base's policy stays in force", name)
		}
		return older, nil
	case older.exists && bytes.Equal(data, older.data):
		return older, nil
	}
	c, err := ParseRepoConfig(name, data)
	if err != nil {
		s.note("ignored, invalid policy: %s", gavel.AsError(err).Message)
		return older, nil
	}
	s.tighten(name, c.Policy, "would loosen %s; ignored")
	for _, key := range older.policy.Missing(c.Policy) {
		s.note("%s: no longer sets %s; ignored", name, key)
	}
	return configLayer{c.Policy, data, true}, nil
}

// userConfigPath is the user's config.toml, "" where no absolute folder is the user's: a relative one would lie in
// whatever repository is under review.
func userConfigPath(env *Env) string {
	path, err := store.ConfigFile(env.Getenv)
	if err != nil {
		return ""
	}
	return path
}
