package code

import (
	"path"
	"strings"
)

// Gate says which part of a repository's own gates a path belongs to.
type Gate string

// The gates.
const (
	NoGate         Gate = ""
	GatePolicy     Gate = "review policy"    // what judges a change: gavel's own files, the owners of paths
	GateCI         Gate = "CI configuration" // what runs on a change
	GateHook       Gate = "commit hook"      // what runs before a change leaves a machine
	GateLint       Gate = "linter configuration"
	GateAttributes Gate = "git attributes" // may hide text from a diff
)

// GateOf returns which gate the path configures.
func GateOf(file string) Gate {
	base := path.Base(file)
	top := !strings.Contains(file, "/")
	switch {
	case file == ".gavel.toml" || file == "GAVEL.md" || strings.HasPrefix(file, ".gavel/"),
		base == "CODEOWNERS" && (top || file == ".github/CODEOWNERS" || file == "docs/CODEOWNERS" || file == ".gitlab/CODEOWNERS"):
		return GatePolicy
	case strings.HasPrefix(file, ".github/workflows/") || strings.HasPrefix(file, ".github/actions/"),
		strings.HasPrefix(file, ".circleci/") || strings.HasPrefix(file, ".buildkite/") || strings.HasPrefix(file, ".gitlab/ci/"),
		strings.HasPrefix(file, ".forgejo/workflows/") || strings.HasPrefix(file, ".gitea/workflows/") || strings.HasPrefix(file, ".woodpecker/"),
		ciFile(base, top):
		return GateCI
	case strings.HasPrefix(file, ".husky/") || strings.HasPrefix(file, ".githooks/"), top && hookFile(base):
		return GateHook
	case lintFile(base):
		return GateLint
	case base == ".gitattributes":
		return GateAttributes
	}
	return NoGate
}

func ciFile(base string, top bool) bool {
	if !top {
		return strings.HasPrefix(base, "Jenkinsfile") || base == "azure-pipelines.yml" || base == ".gitlab-ci.yml"
	}
	switch base {
	case ".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml",
		".drone.yml", ".woodpecker.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", "cloudbuild.yaml", "cloudbuild.yml",
		"codecov.yml", ".codecov.yml", ".semaphore.yml", "buildspec.yml", "wercker.yml":
		return true
	}
	return strings.HasPrefix(base, "Jenkinsfile") || strings.HasPrefix(base, "azure-pipelines.")
}

func hookFile(base string) bool {
	switch base {
	case ".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml",
		".lefthook.toml", "lefthook.toml", ".overcommit.yml", ".huskyrc", ".huskyrc.json", ".lintstagedrc", ".lintstagedrc.json":
		return true
	}
	return false
}

func lintFile(base string) bool {
	return strings.HasPrefix(base, ".golangci.")
}
