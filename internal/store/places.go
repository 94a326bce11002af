package store

import (
	"path/filepath"

	"github.com/gavel-review/gavel"
)

// Places are the user's folders. They are the same on every system, macOS too.
type Places struct {
	State  string // $GAVEL_HOME, else $XDG_STATE_HOME/gavel, else ~/.local/state/gavel
	Config string // $XDG_CONFIG_HOME/gavel/config.toml, else ~/.config/gavel/config.toml
	Cache  string // $XDG_CACHE_HOME/gavel, else ~/.cache/gavel
}

// PlacesOf reads the environment through lookup and touches nothing else. A relative XDG folder is ignored, as its
// specification asks; a relative GAVEL_HOME, and a place that would need a home folder where HOME names none, is
// invalid_args.
func PlacesOf(lookup func(string) string) (Places, error) {
	var p Places
	var err error
	if p.State, err = stateFolder(lookup); err != nil {
		return Places{}, err
	}
	if p.Config, err = ConfigFile(lookup); err != nil {
		return Places{}, err
	}
	p.Cache, err = userFolder(lookup, "XDG_CACHE_HOME", ".cache")
	return p, err
}

// ConfigFile is Places.Config alone.
func ConfigFile(lookup func(string) string) (string, error) {
	folder, err := userFolder(lookup, "XDG_CONFIG_HOME", ".config")
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "config.toml"), nil
}

func stateFolder(lookup func(string) string) (string, error) {
	switch home := lookup("GAVEL_HOME"); {
	case home == "":
		return userFolder(lookup, "XDG_STATE_HOME", ".local/state")
	case !filepath.IsAbs(home):
		return "", gavel.Errorf(gavel.InvalidArgs, "GAVEL_HOME %q is not an absolute path", home)
	default:
		return filepath.Clean(home), nil
	}
}

func userFolder(lookup func(string) string, variable, underHome string) (string, error) {
	if dir := lookup(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gavel"), nil
	}
	home := lookup("HOME")
	if !filepath.IsAbs(home) {
		return "", gavel.Errorf(gavel.InvalidArgs, "neither HOME nor %s names an absolute folder", variable).
			WithHint("set HOME, or GAVEL_HOME for the state alone")
	}
	return filepath.Join(home, filepath.FromSlash(underHome), "gavel"), nil
}
