package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// maxConfig is the largest configuration that is read, in bytes.
const maxConfig = 1 << 20

// ConfigVersion is the only version of a configuration file that there is.
const ConfigVersion = 1

// RepoConfig is .gavel.toml. It holds what judges a change and nothing else: hosts, keys, commands and floors are the
// user's alone.
type RepoConfig struct {
	Version int               `toml:"version"`
	Policy  gavel.PolicyLayer `toml:"policy"`
}

// UserConfig is the user's config.toml.
type UserConfig struct {
	Version int               `toml:"version"`
	Policy  gavel.PolicyLayer `toml:"policy"`
	// Floor is what no repository may loosen.
	Floor  gavel.PolicyLayer `toml:"floor"`
	Review ReviewConfig      `toml:"review"`
}

// ReviewConfig chooses the reviewer.
type ReviewConfig struct {
	Provider string `toml:"provider"`
	Model    string `toml:"model"`
}

// userOnly are the tables that only the user's own configuration may hold.
var userOnly = []string{"floor", "review", "providers", "provider", "mcp", "commands", "command", "sandbox", "guard", "keys"}

// ParseRepoConfig reads .gavel.toml strictly: an unknown key is an error that names its line and, where one is near,
// the key that was meant.
func ParseRepoConfig(name string, data []byte) (RepoConfig, error) {
	var c RepoConfig
	if err := decodeConfig(name, data, &c); err != nil {
		return RepoConfig{}, err
	}
	return c, checkConfig(name, c.Version, data, c.Policy)
}

// ParseUserConfig reads the user's config.toml strictly.
func ParseUserConfig(name string, data []byte) (UserConfig, error) {
	var c UserConfig
	if err := decodeConfig(name, data, &c); err != nil {
		return UserConfig{}, err
	}
	if err := checkConfig(name, c.Version, data, c.Policy); err != nil {
		return UserConfig{}, err
	}
	return c, checkConfig(name, c.Version, data, c.Floor)
}

func configError(name, format string, args ...any) *gavel.Error {
	return gavel.Errorf(gavel.InvalidArgs, "%s: %s", name, detect.Redact(fmt.Sprintf(format, args...)))
}

func decodeConfig(name string, data []byte, into any) error {
	if len(data) > maxConfig {
		return configError(name, "it has %d bytes, more than %d", len(data), maxConfig)
	}
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		return nil
	}
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := &strict.Errors[0]
		row, _ := first.Position()
		return unknownKey(name, row, first.Key(), into)
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, col := decode.Position()
		return configError(name, "line %d, column %d: %s", row, col, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return configError(name, "%v", err)
}

func unknownKey(name string, row int, key []string, into any) error {
	dotted := strings.Join(key, ".")
	if _, repo := into.(*RepoConfig); repo && len(key) > 0 && slices.Contains(userOnly, key[0]) {
		return configError(name, "line %d: %q is for the user's own configuration only", row, dotted).
			WithHint("a repository cannot name hosts, keys, commands, servers or floors: put it into the user's config.toml (see `gavel config show`)")
	}
	e := configError(name, "line %d: unknown key %q", row, dotted)
	if near := nearestKey(dotted, reflect.TypeOf(into).Elem()); near != "" {
		return e.WithHint("did you mean %q?", near)
	}
	return e
}

func checkConfig(name string, version int, data []byte, layer gavel.PolicyLayer) error {
	switch {
	case version == 0 && len(bytes.TrimSpace(data)) > 0:
		return configError(name, "version is missing").WithHint("begin the file with: version = %d", ConfigVersion)
	case version > ConfigVersion:
		return configError(name, "version %d is newer than this gavel understands (%d)", version, ConfigVersion).WithHint("upgrade gavel")
	case version < 0:
		return configError(name, "version %d is not a version", version)
	}
	if faults := layer.Validate(); len(faults) > 0 {
		return configError(name, "%s", strings.Join(faults, "; "))
	}
	return checkIDs(name, data, layer)
}

// readUserConfig reads the user's configuration. Only "does not exist" means that there is none.
func readUserConfig(path string) (UserConfig, bool, error) {
	if path == "" {
		return UserConfig{}, false, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return UserConfig{}, false, nil
	}
	if err != nil {
		return UserConfig{}, false, configError(path, "cannot be read: %v", errors.Unwrap(err))
	}
	c, err := ParseUserConfig(path, data)
	return c, err == nil, err
}

// nearestKey returns the known key with the least edit distance to the one given, if that is small.
func nearestKey(key string, t reflect.Type) string {
	best, bestDistance := "", 3
	for _, known := range configKeys(t, "") {
		if d := gavel.EditDistance(key, known); d < bestDistance {
			best, bestDistance = known, d
		}
		if last := known[strings.LastIndexByte(known, '.')+1:]; last == key {
			return known
		}
	}
	return best
}

// configKeys lists the dotted keys of a configuration type.
func configKeys(t reflect.Type, prefix string) []string {
	var keys []string
	for i := range t.NumField() {
		tag := t.Field(i).Tag.Get("toml")
		ft := t.Field(i).Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		keys = append(keys, prefix+tag)
		if ft.Kind() == reflect.Struct {
			keys = append(keys, configKeys(ft, prefix+tag+".")...)
		}
	}
	return keys
}
