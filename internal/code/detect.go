package code

import (
	"path"
	"strings"
	"sync"
)

// extensions maps the part of a base name behind its last dot, in lower case.
var extensions = sync.OnceValue(func() map[string]*Language {
	m := make(map[string]*Language, 160)
	for _, e := range []struct {
		lang *Language
		ext  string
	}{
		{goLang, "go"}, {javascript, "js mjs cjs es6"}, {typescript, "ts mts cts"}, {jsx, "jsx"}, {tsx, "tsx"},
		{python, "py pyi pyw"}, {starlark, "bzl star"}, {java, "java"}, {kotlin, "kt kts"}, {scala, "scala sc sbt"},
		{groovy, "groovy gradle"}, {csharp, "cs csx cake"}, {ruby, "rb rake gemspec ru podspec"},
		{php, "php phtml php5 php7"}, {rust, "rs"}, {swift, "swift"}, {cLang, "c h"},
		{cpp, "cc cpp cxx c++ hpp hh hxx h++ ipp inl ino cu cuh"}, {objectiveC, "m mm"}, {dart, "dart"}, {zig, "zig"},
		{solidity, "sol"}, {protobuf, "proto"}, {graphql, "graphql gql"},
		{shell, "sh bash zsh ksh dash bats envrc"}, {powershell, "ps1 psm1 psd1"}, {batch, "bat cmd"},
		{yaml, "yaml yml"}, {toml, "toml"}, {json, "json jsonc json5 webmanifest map ipynb"},
		{ini, "ini cfg conf cnf editorconfig desktop service"}, {properties, "properties"}, {dotenv, "env"},
		{hcl, "tf tfvars hcl nomad"}, {dockerfile, "dockerfile containerfile"}, {makefile, "mk mak make"}, {cmake, "cmake"},
		{nix, "nix"}, {sql, "sql psql pgsql ddl"}, {html, "html htm xhtml erb ejs hbs"}, {vue, "vue svelte astro"},
		{xml, "xml svg xsd xsl xslt csproj fsproj vbproj props targets plist xaml resx pom"},
		{markdown, "md markdown mdx"}, {css, "css"}, {scss, "scss less sass"}, {lua, "lua"}, {haskell, "hs lhs"},
		{ocaml, "ml mli"}, {fsharp, "fs fsi fsx"}, {elixir, "ex exs"}, {erlang, "erl hrl"},
		{lisp, "el lisp clj cljs cljc scm rkt"}, {perl, "pl pm"}, {rLang, "r"}, {julia, "jl"}, {nim, "nim"}, {vim, "vim"},
	} {
		for ext := range strings.FieldsSeq(e.ext) {
			m[ext] = e.lang
		}
	}
	return m
})

// byName returns the language of a base name that says it without an extension, nil where it does not.
func byName(base string) *Language {
	switch base {
	case "go.mod", "go.work":
		return goMod
	case "Makefile", "makefile", "GNUmakefile", "Justfile", "justfile":
		return makefile
	case "CMakeLists.txt":
		return cmake
	case "Jenkinsfile":
		return groovy
	case "Gemfile", "Rakefile", "Podfile", "Vagrantfile", "Brewfile", "Fastfile", "Guardfile", "Dangerfile", "Capfile":
		return ruby
	case "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "Tiltfile", "SConstruct", "SConscript":
		return starlark
	case ".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc", "PKGBUILD":
		return shell
	case ".gitconfig", ".npmrc", ".pylintrc", ".flake8", ".editorconfig", "Pipfile":
		return ini
	case ".clang-format", ".clang-tidy":
		return yaml
	case ".babelrc", ".eslintrc", ".prettierrc", "composer.lock":
		return json
	case "Cargo.lock", "poetry.lock", "uv.lock":
		return toml
	case ".vimrc":
		return vim
	case "CODEOWNERS", ".gitignore", ".gitattributes", ".dockerignore", ".npmignore", "requirements.txt":
		return hashed
	}
	switch {
	case base == ".env" || strings.HasPrefix(base, ".env."):
		return dotenv
	case strings.HasPrefix(base, "Dockerfile") || strings.HasPrefix(base, "Containerfile"):
		return dockerfile
	case strings.HasPrefix(base, "Jenkinsfile"):
		return groovy
	case strings.HasPrefix(base, "Makefile."):
		return makefile
	}
	return nil
}

// LanguageOf names the language by path and, where the path does not tell, by the text's first line (shebang). The
// answer is never nil.
func LanguageOf(file, firstLine string) *Language {
	base := path.Base(file)
	if l := byName(base); l != nil {
		return l
	}
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 && len(base)-dot < 16 {
		if l := extensions()[strings.ToLower(base[dot+1:])]; l != nil {
			return l
		}
	}
	if l := byShebang(firstLine); l != nil {
		return l
	}
	return Plain
}

// byShebang reads "#!/usr/bin/env -S python3 -u" and its kind.
func byShebang(line string) *Language {
	line = strings.TrimPrefix(line, "\ufeff")
	if strings.HasPrefix(line, "<?php") {
		return php
	}
	if strings.HasPrefix(line, "<?xml") {
		return xml
	}
	if !strings.HasPrefix(line, "#!") || len(line) > 512 {
		return nil
	}
	for word := range strings.FieldsSeq(line[2:]) {
		name := path.Base(word)
		if name == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		switch strings.TrimRight(name, "0123456789.") {
		case "sh", "bash", "zsh", "ksh", "dash", "ash", "bats":
			return shell
		case "python", "pypy":
			return python
		case "node", "nodejs", "bun":
			return javascript
		case "deno", "ts-node", "tsx":
			return typescript
		case "ruby":
			return ruby
		case "perl":
			return perl
		case "php":
			return php
		case "lua", "luajit":
			return lua
		case "pwsh":
			return powershell
		case "make":
			return makefile
		case "Rscript":
			return rLang
		case "groovy":
			return groovy
		case "elixir":
			return elixir
		}
		return nil
	}
	return nil
}
