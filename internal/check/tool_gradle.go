package check

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// wrappedGradle finds the distribution that a project's wrapper asks for, where the wrapper has been run before. The
// wrapper itself is never started: it belongs to the tree, and it downloads what is not there.
func wrappedGradle(environ []string, tree, dir string) string {
	name := distributionOf(tree, dir)
	if name == "" {
		return ""
	}
	home, ok := lookup(environ, "GRADLE_USER_HOME")
	if !ok {
		user, _ := lookup(environ, "HOME")
		if user == "" {
			return ""
		}
		home = filepath.Join(user, ".gradle")
	}
	found, _ := filepath.Glob(filepath.Join(escapePattern(home), "wrapper", "dists", escapePattern(name), "*", "gradle-*", "bin", "gradle"))
	for _, p := range found {
		if isExecutable(p) {
			return p
		}
	}
	return ""
}

// distributionOf is the name of the archive that the wrapper of a project asks for, without its ending.
func distributionOf(tree, dir string) string {
	for _, d := range upwards(dir) {
		data, err := readBounded(join(tree, path.Join(d, "gradle/wrapper/gradle-wrapper.properties")), 64<<10)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			url, ok := strings.CutPrefix(strings.TrimSpace(line), "distributionUrl=")
			if !ok {
				continue
			}
			name := strings.TrimSuffix(path.Base(url), ".zip")
			if strings.HasPrefix(name, "gradle-") && !strings.ContainsRune(name, os.PathSeparator) {
				return name
			}
		}
	}
	return ""
}
