package check

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Recorded with Maven 3.8.7 and maven-compiler-plugin 3.13.0, javac 17.0.15, and Gradle 4.4.1.
func TestJavac(t *testing.T) {
	t.Parallel()
	at := func(file string, exit int, fails string) recorded {
		return recorded{file: file, exit: exit, root: "/srv/shop", check: "java-compile", fails: fails}
	}
	testRecorded(t, "javac", parserOf(t, "javac"), []recorded{
		at("maven-clean.txt", 0, ""),
		at("maven-broken.txt", 1, ""),
		at("maven-warnings.txt", 0, ""),
		at("maven-werror.txt", 1, ""),
		at("maven-missing.txt", 1, "not in the compiler: Failed to execute goal on project price: Could not resolve dependencies"),
		at("maven-plugin.txt", 1, "the compiler reported no error"),
		at("maven-release.txt", 1, "not in the compiler: Failed to execute goal"),
		at("javac.txt", 1, ""),
		at("javac-syntax.txt", 1, ""),
		at("gradle.txt", 1, ""),
		at("maven-clean.txt", 1, "the build says that it succeeded, and its exit code is 1"),
		at("maven-broken.txt", 0, "the build says that it failed, and its exit code is 0"),
		at("javac.txt", 0, "does not say how it ended"),
	})
}

func TestJavacText(t *testing.T) {
	t.Parallel()
	const (
		success = "[INFO] BUILD SUCCESS\n"
		failure = "[INFO] BUILD FAILURE\n"
		block   = "[ERROR] COMPILATION ERROR : \n[INFO] -----\n"
	)
	for _, tt := range []struct {
		name, stdout, stderr string
		exit                 int
		want                 string // severity place rule title, one finding a line; or "error: " and part of the error
		reduced              int
	}{
		{"Windows", block + "[ERROR] \\srv\\shop\\src\\A.java:[3,4] ';' expected\r\n" + failure, "", 1, "high shop/src/A.java:3:4 compile ';' expected", 0},
		{"a line alone", block + "[ERROR] A.java:[3] ';' expected\n" + failure, "", 1, "high shop/A.java:3:0 compile ';' expected", 0},
		{"no place", block + "[ERROR] Source option 5 is no longer supported. Use 7 or later.\n[INFO] 1 error\n" + failure, "", 1,
			"high :0:0 compile Source option 5 is no longer supported. Use 7 or later.", 0},
		{"only at the end", failure + "[ERROR] Failed to execute goal x:y:compile on project a: Compilation failure\n[ERROR] A.java:[3,4] ';' expected\n", "", 1,
			"high shop/A.java:3:4 compile ';' expected", 0},
		{"Error Prone", block + "[ERROR] A.java:[3,4] [DeadException] Exception created but not thrown\n    (see https://errorprone.info)\n" + failure, "", 1,
			"high shop/A.java:3:4 deadexception Exception created but not thrown", 0},
		{"a bracket that is no key", block + "[ERROR] A.java:[3,4] [a b] c\n" + failure, "", 1, "high shop/A.java:3:4 compile [a b] c", 0},
		{"failures that are let pass", block + "[ERROR] A.java:[3,4] ';' expected\n" + success, "", 0, "high shop/A.java:3:4 compile ';' expected", 0},
		{"escaping the tree", block + "[ERROR] ../../etc/A.java:[3,4] ';' expected\n" + failure, "", 1, "high :0:0 compile ';' expected", 0},
		{"a hundred", block + "[ERROR] A.java:[3,4] ';' expected\n[INFO] 100 errors \n" + failure, "", 1, "high shop/A.java:3:4 compile ';' expected", 1},
		{"another plugin too", block + "[ERROR] A.java:[3,4] ';' expected\n" + failure +
			"[ERROR] Failed to execute goal x:y:compile on project a: Compilation failure\n[ERROR] Failed to execute goal x:z:check on project b: no\n", "", 1,
			"high shop/A.java:3:4 compile ';' expected", 1},
		{"warnings alone fail nothing", "[WARNING] A.java:[3,4] old\n" + failure, "", 1, "error: the compiler reported no error", 0},
		{"quiet", "", "", 0, "error: does not say how it ended", 0},
		{"cut short", block + "[ERROR] A.java:[3,4] ';' expected\n", "", 1, "error: does not say how it ended", 0},
		{"another plugin", failure + "[ERROR] Failed to execute goal x:z:check on project b: no\n", "", 1, "error: not in the compiler: Failed to execute goal x:z", 0},
		{"an older word", success + block + failure, "", 0, "error: says that it failed", 0},

		{"Gradle", "> Task :compileJava UP-TO-DATE\n\nBUILD SUCCESSFUL in 2s\n1 actionable task: 1 up-to-date\n", "", 0, "", 0},
		{"Gradle's configuration", "", "\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nA problem occurred.\n> No.\n\nBUILD FAILED in 1s\n", 1,
			"error: not in the compiler: A problem occurred. > No.", 0},
		{"an indented message of Gradle", "",
			"* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed; see the compiler output below.\n  src/A.java:3: error: ';' expected\n      int x = 1\n               ^\n  1 error\n\nBUILD FAILED in 1s\n", 1,
			"high shop/src/A.java:3:14 compile ';' expected", 0},
		{"Gradle says it twice", "",
			"src/A.java:3: error: ';' expected\n    int x = 1\n             ^\n1 error\n\n  src/A.java:3: error: ';' expected\n      int x = 1\n               ^\n  1 error\n\nBUILD FAILED in 1s\n", 1,
			"high shop/src/A.java:3:14 compile ';' expected", 0},
		{"source that speaks like javac", "", "A.java:3: error: ';' expected\nB.java:1: error: made up\n      ^\n1 error\n", 1, "high shop/A.java:3:7 compile ';' expected", 0},
		{"an error in a message", "", "A.java:3: warning: x: error: y\nA.java:4: error: z\n1 error\n1 warning\n", 1, "medium shop/A.java:3:0 compile x: error: y\nhigh shop/A.java:4:0 compile z", 0},
		{"warnings that fail", "", "A.java:3: warning: [cast] redundant cast\nerror: warnings found and -Werror specified\n1 error\n1 warning\n", 1,
			"medium shop/A.java:3:0 cast redundant cast\nhigh :0:0 compile warnings found and -Werror specified", 0},
		{"called wrongly", "", "error: release version 99 not supported\nUsage: javac <options> <source files>\n", 2, "error: nothing was compiled", 0},
		{"a place in no file", "", ":3: error: x\n1 error\n", 1, "error: the compiler reported no error", 0},
		{"a signal", "", "", -1, "error: a signal ended the tool", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.stdout), Stderr: []byte(tt.stderr), Exit: tt.exit, Root: "/srv", Dir: "/srv/shop", Check: "java-compile"}
			r := checkSummary(t, "javac", o, tt.want)
			if len(r.Reduced) != tt.reduced {
				t.Errorf("reduced %q, want %d", r.Reduced, tt.reduced)
			}
		})
	}
}

// What goes on below a message belongs to what identifies it: "cannot find symbol" alone says nothing.
func TestJavacGoesOn(t *testing.T) {
	t.Parallel()
	const stderr = "A.java:3: error: cannot find symbol\n  Foo a;\n  ^\n  symbol:   class Foo\n  location: class A\n" +
		"A.java:4: error: cannot find symbol\n  Bar b;\n  ^\n  symbol:   class Bar\n  location: class A\n2 errors\n"
	r, err := parseJavac(Output{Stderr: []byte(stderr), Exit: 1, Root: "/srv", Dir: "/srv", Check: "java-compile"})
	if err != nil || len(r.Findings) != 2 {
		t.Fatal(r, err)
	}
	a, b := r.Findings[0], r.Findings[1]
	if a.Description != "  symbol:   class Foo\n  location: class A" || a.Fingerprint == b.Fingerprint ||
		a.Category != gavel.CategoryBuild || strings.Contains(a.Description, "^") {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func FuzzJavac(f *testing.F) { fuzzRecorded(f, "javac", parserOf(f, "javac")) }
