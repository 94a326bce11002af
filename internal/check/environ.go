package check

import (
	"maps"
	"slices"
	"strings"
)

// passed are the variables that tools get from the user's environment. Whatever is not named here, a provider's key or
// an agent's credential among the rest, no tool sees.
var passed = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT", "GOOS", "GOARCH", "GOEXPERIMENT", "GOPRIVATE", "GONOSUMDB", "CGO_ENABLED",
	"CC", "CXX", "PKG_CONFIG_PATH", "CGO_CFLAGS", "CGO_LDFLAGS",
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
	"JAVA_HOME", "MAVEN_HOME", "M2_HOME", "MAVEN_OPTS", "GRADLE_HOME", "GRADLE_USER_HOME",
	"NVM_DIR", "VOLTA_HOME", "FNM_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "npm_config_cache", "PNPM_HOME",
	"PYENV_ROOT", "PYENV_VERSION", "CONDA_PREFIX", "VIRTUAL_ENV", "UV_CACHE_DIR", "PIP_CACHE_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "SOURCE_DATE_EPOCH",
}

// passedOnline are the variables that tools which need a network get beside those.
var passedOnline = [...]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "GOVULNDB"}

// volatile are the variables that have no part in what a tool finds, so that a stored result does not depend on them.
var volatile = [...]string{"USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_RUNTIME_DIR", "VIRTUAL_ENV"}

// fixed is what every tool is told, so that it writes plain text and waits for nobody.
var fixed = [...]string{"NO_COLOR=1", "TERM=dumb", "CI=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "PYTHONDONTWRITEBYTECODE=1"}

// Environ is the environment of checks, as KEY=VALUE, from the user's.
func Environ(getenv func(string) string) []string {
	env := make([]string, 0, 32)
	for _, list := range [][]string{passed[:], passedOnline[:]} {
		for _, name := range list {
			if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
				env = append(env, name+"="+v)
			}
		}
	}
	return append(env, fixed[:]...)
}

// environ is the environment of one check.
func (p *Planned) environ(all []string, extra map[string]string) []string {
	own := make(map[string]string, len(p.Check.Env)+len(extra))
	maps.Copy(own, p.Check.Env)
	maps.Copy(own, extra)
	env := make([]string, 0, len(all)+len(own))
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if _, set := own[name]; set || !p.Check.Egress.Any() && slices.Contains(passedOnline[:], name) {
			continue // of two with one name, some programs take the first and some the last
		}
		env = append(env, kv)
	}
	for _, name := range sortedKeys(own) {
		env = append(env, name+"="+own[name])
	}
	return env
}

func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}
