package app

import (
	"context"
	"fmt"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// ConfigShowInput asks for the configuration in force.
type ConfigShowInput struct {
	Origin bool `json:"origin,omitempty" doc:"say which layer set each key"`
}

// ConfigShowOutput is the configuration in force, key by key in a fixed order.
type ConfigShowOutput struct {
	SchemaVersion string          `json:"schema_version"`
	Repo          string          `json:"repo"`         // top folder; empty outside a repository
	TrustedBase   string          `json:"trusted_base"` // the reference that may set any key; empty where there is none
	Settings      []ConfigSetting `json:"settings"`
	Notes         []string        `json:"notes"` // what a newer layer would have loosened, and what could not be read
	showOrigin    bool
}

// ConfigSetting is one key with its value as TOML, and the layer that gave it that value.
type ConfigSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// ConfigShow shows the configuration that a review of the staged change would be judged by.
var ConfigShow = Op[ConfigShowInput, *ConfigShowOutput]{
	Name: "config show",
	Doc:  "Show the configuration in force, and with --origin which layer set each key.",
	Long: `The layers, oldest first: default, the user's config.toml, .gavel.toml of the trusted base, the environment
(GAVEL_MODE, GAVEL_FAIL_ON, GAVEL_WARN_ON) and the user's floor; then .gavel.toml of HEAD and of the staged change,
which can only tighten. What a newer layer would have loosened is listed at the end.`,
	Example:  "  gavel config show --origin",
	Doors:    CLI,
	ReadOnly: true,
	Run:      runConfigShow,
	Render:   renderConfigShow,
}

func runConfigShow(ctx context.Context, env *Env, in ConfigShowInput) (*ConfigShowOutput, error) {
	out := &ConfigShowOutput{SchemaVersion: gavel.WireVersion, Notes: []string{}, showOrigin: in.Origin}
	repo, err := optionalRepo(ctx, env)
	if err != nil {
		return nil, err
	}
	stack, err := out.stack(ctx, env, repo)
	if err != nil {
		return nil, err
	}
	out.Settings = append(settingsOf(stack.Steps), reviewSettings(env, stack.User.Review)...)
	out.Notes = append(out.Notes, stack.Notes...)
	return out, nil
}

// optionalRepo opens the repository of the working directory, nil where there is none. A repository that somebody
// named must exist.
func optionalRepo(ctx context.Context, env *Env) (*git.Repo, error) {
	repo, err := openRepo(ctx, env, "")
	if err == nil {
		return repo, nil
	}
	if gavel.AsError(err).Class == gavel.NotAGitRepo && !repoNamed(env) {
		return nil, nil
	}
	return nil, err
}

// repoNamed reports whether the repository was chosen by more than the working directory.
func repoNamed(env *Env) bool { return env.DefaultRepo != "" || env.Getenv("GAVEL_REPO") != "" }

func (o *ConfigShowOutput) stack(ctx context.Context, env *Env, repo *git.Repo) (*policyStack, error) {
	if repo == nil {
		o.Notes = append(o.Notes, "not in a repository: only the user's own layers are shown")
		return finishedUserPolicy(env)
	}
	defer repo.Close()
	o.Repo = repo.Root
	trusted, err := repo.TrustedBase(ctx)
	if err != nil {
		return nil, err
	}
	o.TrustedBase = trusted.Ref
	if trusted.Caveat != "" {
		o.Notes = append(o.Notes, trusted.Caveat)
	}
	trees := policyTrees{Base: trusted.Commit, BaseName: trusted.Ref, Head: repo.Head}
	staged, err := repo.Pin(ctx, git.Scope{Kind: git.Staged})
	if err != nil {
		o.Notes = append(o.Notes, "the staged change is left out: "+gavel.AsError(err).Message)
		return repoPolicy(ctx, env, repo, trees)
	}
	defer staged.Close()
	trees.Subject = staged.Head.Tree
	return repoPolicy(ctx, env, repo, trees)
}

// finishedUserPolicy is the policy where there is no repository.
func finishedUserPolicy(env *Env) (*policyStack, error) {
	stack, err := userPolicy(env)
	if err != nil {
		return nil, err
	}
	return stack, stack.finishUser(env)
}

// reviewSettings are the keys that choose the reviewer; the user's file alone sets them.
func reviewSettings(env *Env, c ReviewConfig) []ConfigSetting {
	settings := []ConfigSetting{{"review.provider", tomlString("none"), originDefault}}
	if c.Provider != "" {
		settings[0] = ConfigSetting{"review.provider", tomlString(c.Provider), userConfigPath(env)}
	}
	if c.Model != "" {
		settings = append(settings, ConfigSetting{"review.model", tomlString(c.Model), userConfigPath(env)})
	}
	return settings
}

func renderConfigShow(w io.Writer, o *ConfigShowOutput, _ RenderOptions) error {
	width := 0
	for _, s := range o.Settings {
		width = max(width, len(s.Key)+len(s.Value))
	}
	width = min(width, 60)
	for _, s := range o.Settings {
		line := s.Key + " = " + s.Value
		if o.showOrigin {
			line = fmt.Sprintf("%-*s  # %s", width+len(" = "), line, untrusted.Visible(s.Origin))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	for i, note := range o.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, "# "+untrusted.Visible(note)); err != nil {
			return err
		}
	}
	return nil
}
