package detect

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
)

var riskNodePackage = sync.OnceValue(func() *riskPack {
	script := regexp.MustCompile(`^\s*"((?:pre|post)?install|prepare|preprepare|postprepare)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	entry := regexp.MustCompile(`^\s*"((?:@[\w.-]+/)?[\w.-]+)"\s*:\s*"((?:[~^<>=]|\d|\*|latest|npm:|workspace:|git|https?:)[^"]*)"`)
	popular := &wordSet{list: `react react-dom lodash express axios chalk commander webpack typescript eslint prettier jest mocha moment request async debug uuid dotenv cross-env rimraf glob semver yargs
		minimist mkdirp bluebird underscore jquery vue angular babel-core redux next vite rollup electron mongoose mongodb mysql sequelize socket.io body-parser cookie-parser jsonwebtoken bcrypt passport
		nodemon ts-node tslib rxjs inquirer ora colors node-fetch cheerio puppeteer playwright tailwindcss postcss autoprefixer styled-components classnames date-fns ethers web3 discord.js`}
	return &riskPack{words: newNeedles("install", "prepare", "\": \"", "\":\""), line: func(p *Pass, l *gavel.Line) {
		if m := script.FindStringSubmatchIndex(l.Text); m != nil {
			name, command := l.Text[m[2]:m[3]], l.Text[m[4]:m[5]]
			f := p.Report(ruleInstallScript, place(l, m[2], m[3]-m[2]), "Everyone who installs the package runs this: "+name+".")
			if name == "prepare" || knownHook(command) {
				f.Severity = gavel.Info
			}
			return
		}
		if m := entry.FindStringSubmatchIndex(l.Text); m != nil {
			nearlyNamed(p, l, popular, l.Text[m[2]:m[3]], m[2])
		}
	}}
})

// knownHook reports whether the script does what such scripts mostly do.
func knownHook(command string) bool {
	for _, w := range []string{"husky", "patch-package", "simple-git-hooks", "lefthook", "npm run build", "tsc", "prisma generate", "electron-builder install-app-deps", "node-gyp", "prebuild-install", "nuxt prepare", "svelte-kit sync"} {
		if strings.HasPrefix(command, w) {
			return true
		}
	}
	return false
}

// riskManifest returns the pack of a list of Python or Rust packages, nil for other files.
func riskManifest(base string) *riskPack {
	switch {
	case base == "Cargo.toml":
		return riskCargo()
	case base == "pyproject.toml", strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return riskRequirements()
	}
	return nil
}

var riskRequirements = sync.OnceValue(func() *riskPack {
	entry := regexp.MustCompile(`^\s*["']?([A-Za-z][\w.-]+)(?:\[[^\]]*\])?\s*(?:[=<>~!]=|==|$|["'],?\s*$)`)
	popular := &wordSet{list: `requests numpy pandas django flask boto3 urllib3 setuptools certifi pyyaml cryptography scipy matplotlib pillow sqlalchemy jinja2 pytest scikit-learn tensorflow torch transformers
		beautifulsoup4 selenium paramiko colorama python-dateutil python-dotenv psycopg2 pydantic fastapi uvicorn celery redis gunicorn aiohttp httpx click rich tqdm openai langchain`}
	return &riskPack{words: newNeedles("reque", "num", "pan", "jan", "fla", "bot", "url", "set", "cer", "yam", "cry", "sci", "mat", "pil", "sql", "jin", "tes", "sor", "tor", "for", "sou", "sel", "par", "col", "pyt", "psy", "pyd", "fas", "uvi", "cel", "red", "gun", "aio", "htt", "cli", "ric", "tqd", "ope", "lan", "djn"), line: func(p *Pass, l *gavel.Line) {
		if m := entry.FindStringSubmatchIndex(l.Text); m != nil {
			nearlyNamed(p, l, popular, strings.ToLower(l.Text[m[2]:m[3]]), m[2])
		}
	}}
})

var riskCargo = sync.OnceValue(func() *riskPack {
	entry := regexp.MustCompile(`^\s*([a-z][\w-]+)\s*=\s*["{]`)
	popular := &wordSet{list: `serde serde_json tokio rand clap regex anyhow thiserror reqwest hyper futures chrono tracing syn quote proc-macro2 lazy_static once_cell itertools rayon crossbeam async-trait rustdecimal`}
	return &riskPack{words: newNeedles(" = \"", " = {", "=\"\"", "= \""), line: func(p *Pass, l *gavel.Line) {
		if m := entry.FindStringSubmatchIndex(l.Text); m != nil {
			nearlyNamed(p, l, popular, l.Text[m[2]:m[3]], m[2])
		}
	}}
})

// nearlyNamed reports a name that is one edit from a popular one.
func nearlyNamed(p *Pass, l *gavel.Line, popular *wordSet, name string, at int) {
	if len(name) < 5 || popular.has(name) {
		return
	}
	for w := range strings.FieldsSeq(popular.list) {
		if len(w) >= 5 && oneEdit(name, w) {
			if knownNeighbours.has(name) {
				return
			}
			p.Report(ruleLookalike, place(l, at, len(name)), "One letter from "+w+": is this the package that is meant?")
			return
		}
	}
}

// knownNeighbours are packages of their own right beside a popular one.
var knownNeighbours = &wordSet{list: `preact color yarg globs asynk colord unplugin mocka jests vuex vitest vue2 nuxt debugs requests-mock click8 flask2 redis4 aioredis rich2 httpx2 uuidv4 expressjs color2k lodash-es
	react-is pytest8 torchx numpydoc panda futures01 clap2 rayons serdes tokios quoted`}

// oneEdit reports whether the names differ by one letter added, left out, changed or swapped with its neighbour.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i == len(a) {
		return false
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
