package code

import (
	"path"
	"strings"
)

// split returns the folders and the base name of a slash-separated path.
func split(file string) (dirs []string, base string) {
	dir, base := path.Split(file)
	if dir == "" {
		return nil, base
	}
	return strings.Split(strings.TrimSuffix(dir, "/"), "/"), base
}

// anyDir reports whether one of the folders of the path has one of the names.
func anyDir(file string, names ...string) bool {
	for {
		i := strings.IndexByte(file, '/')
		if i < 0 {
			return false
		}
		for _, n := range names {
			if file[:i] == n {
				return true
			}
		}
		file = file[i+1:]
	}
}

func anySuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// IsTest reports whether the path is a test by its language's convention: by the name of the file, or program text in a
// folder for tests.
func IsTest(file string) bool {
	lang := LanguageOf(file, "")
	if !lang.Program {
		return false
	}
	base := path.Base(file)
	stem := base
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		stem = base[:i]
	}
	return testName(lang, base, stem) ||
		anyDir(file, "test", "tests", "__tests__", "spec", "specs", "e2e", "cypress", "Tests", "UnitTests", "androidTest") ||
		testProject(file)
}

func testName(lang *Language, base, stem string) bool {
	switch lang {
	case goLang:
		return strings.HasSuffix(stem, "_test")
	case javascript, typescript, jsx, tsx, vue:
		return anySuffix(stem, ".test", ".spec", ".cy", ".e2e", "-test", "-spec", "_test", "_spec", ".test-d", ".bench")
	case python:
		return strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || base == "conftest.py" || base == "tests.py"
	case java, kotlin, scala, groovy:
		return anySuffix(stem, "Test", "Tests", "IT", "Spec", "TestCase", "Suite") && len(stem) > 4
	case csharp, fsharp, swift, objectiveC, php:
		return anySuffix(stem, "Test", "Tests", "Spec", "Specs")
	case ruby:
		return anySuffix(stem, "_spec", "_test") || strings.HasPrefix(base, "test_")
	case rust:
		return stem == "tests" || stem == "test" || anySuffix(stem, "_test", "_tests")
	case cLang, cpp:
		return anySuffix(stem, "_test", "_tests", "_unittest", "Test", "Tests") || strings.HasPrefix(base, "test_")
	case elixir, dart, haskell, lua, lisp, zig, shell, julia, perl:
		return anySuffix(stem, "_test", "_spec", "Spec", "Test") || anySuffix(base, ".bats", ".t") || strings.HasPrefix(base, "test_")
	}
	return false
}

// testProject knows the folders that are a whole project of tests: Acme.Core.Tests/, FooTests/ in C# and Swift.
func testProject(file string) bool {
	if !anySuffix(file, ".cs", ".fs", ".swift") {
		return false
	}
	dirs, _ := split(file)
	for _, d := range dirs {
		if anySuffix(d, "Tests", ".Test", ".tests") {
			return true
		}
	}
	return false
}

// IsFixture reports whether the path lies where tests keep their data.
func IsFixture(file string) bool {
	return anyDir(file, "testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__", "__snapshots__",
		"snapshots", "golden", "goldens", "testcases", "test-fixtures", "cassettes", "corpus") || anySuffix(file, ".snap", ".golden", ".txtar")
}

// Vendored reports whether the path lies where other people's code is kept. Only the path given counts: a file that was
// moved out of such a folder is judged by its new path.
func Vendored(file string) bool {
	return anyDir(file, "vendor", "node_modules", "bower_components", "third_party", "third-party", "thirdparty",
		"Pods", "Carthage", "site-packages", ".yarn", ".venv", "venv", "jspm_packages", "Godeps")
}

// LockFile reports whether a package manager writes the file.
func LockFile(file string) bool {
	base := path.Base(file)
	switch base {
	case "go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
		"bun.lockb", "deno.lock", "Cargo.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "uv.lock", "pixi.lock",
		"conda-lock.yml", "Gemfile.lock", "gems.locked", "composer.lock", "packages.lock.json", "project.assets.json",
		"paket.lock", "Package.resolved", "Podfile.lock", "Cartfile.resolved", "pubspec.lock", "mix.lock", "rebar.lock",
		"gradle.lockfile", "buildscript-gradle.lockfile", "verification-metadata.xml", "flake.lock", "stack.yaml.lock",
		"cabal.project.freeze", "Manifest.toml", "elm-stuff", "shard.lock", "conan.lock", "vcpkg-lock.json", "Chart.lock",
		".terraform.lock.hcl", "MODULE.bazel.lock", "renv.lock", "cpanfile.snapshot", "Berksfile.lock", "Puppetfile.lock",
		"spago.lock", "dub.selections.json", "nimble.lock", "rockspec.lock", "devenv.lock", "jsr.lock":
		return true
	}
	return strings.HasPrefix(base, "pylock.") && strings.HasSuffix(base, ".toml")
}
