package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// parsed shows what an assignment's parts are, for the name that holds the word "pass".
func parsed(line string) string {
	at := strings.Index(strings.ToLower(line), "pass")
	a, ok := parseAssignment(line, at, at+4)
	if !ok {
		return ""
	}
	return line[a.nameStart:a.nameEnd] + " <- " + line[a.start:a.end]
}

func TestParseAssignment(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`password = "x1"`:                            "password <- x1",
		`password := 'x1'`:                           "password <- x1",
		"let pass=`x1`":                              "pass <- x1",
		`"db.password": "x1",`:                       "db.password <- x1",
		`'password' => 'x1',`:                        "password <- x1",
		`{\"password\": \"x1\"}`:                     "password <- x1",
		`&quot;password&quot;:&quot;x1&quot;`:        "password <- x1",
		`String dbPassword = "x1";`:                  "dbPassword <- x1",
		`const password: string = 'x1';`:             "password <- x1",
		`let password: Option<String> = Some("x1");`: "password <- x1",
		`let p = { password: "x1".to_string() };`:    "password <- x1",
		`var password string = "x1"`:                 "password <- x1",
		`char password[] = "x1";`:                    "password <- x1",
		`config["password"] = "x1"`:                  "password <- x1",
		`assert cfg['password'] == 'x1'`:             "password <- x1",
		`setPassword("x1")`:                          "setPassword <- x1",
		`.withPassword('x1')`:                        ".withPassword <- x1",
		`put("password", "x1")`:                      "password <- x1",
		`["--password", "x1"]`:                       "--password <- x1",
		`<password>x1</password>`:                    "password <- x1",
		`export DB_PASS=x1`:                          "DB_PASS <- x1",
		`mysql --password x1 -h h`:                   "--password <- x1",
		`mysql --password=x1 -h h`:                   "--password <- x1",
		`CREATE ROLE me PASSWORD 'x1'`:               "PASSWORD <- x1",
		`password: x1 # the old one`:                 "password <- x1",
		`host=h password=x1 dbname=d`:                "password <- x1",
		`password = b"x1"`:                           "password <- x1",
		`Password = @"x1"`:                           "Password <- x1",
		`password = os.getenv("PW", "x1")`:           "password <- x1",
		`password: process.env.PW || 'x1'`:           "password <- x1",
		`password = """x1"""`:                        "password <- x1",
		`password = "a\"b"`:                          `password <- a\"b`,
		`**Password**: x1`:                           "Password <- x1",
		`password != "x1"`:                           "",
		`{"password", "x1"}`:                         "",
		`password = getpass("Password: ")`:           "password <- getpass(",
		`password`:                                   "",
		`password =`:                                 "",
		`password = "`:                               "",
		`password = "unclosed`:                       "",
		`<input type="password">`:                    "",
		`if password {`:                              "",
		`password (optional) "x1"`:                   "",
	}
	for line, want := range tests {
		if got := parsed(line); got != want {
			t.Errorf("%s\n got %q\nwant %q", line, got, want)
		}
	}
}

// assignedCase is a line of a file; %s is where the value stands.
type assignedCase struct {
	path, line string
	want       string // the rule without its pack, "" = no finding
}

func TestAssigned(t *testing.T) {
	t.Parallel()
	password, key := "kTq9"+"mPx2", "Zk8fQ2"+"vN7bW4xT1mLp9R"
	tests := []assignedCase{
		{"a.go", `	password := "` + password + `"`, "assigned-password"},
		{"a.py", `PASSWORD = "` + password + `"`, "assigned-password"},
		{"a.py", `connect(host, password='` + password + `')`, "assigned-password"},
		{"A.java", `ds.setPassword("` + password + `");`, "assigned-password"},
		{"a.rb", `  :password => '` + password + `',`, "assigned-password"},
		{"a.php", `$config['db_password'] = '` + password + `';`, "assigned-password"},
		{"a.cs", `var s = "Server=s;User=u;Password=` + password + `;";`, "assigned-password"},
		{"a.tf", `  password = "` + password + `"`, "assigned-password"},
		{"a.yml", `password: ` + password, "assigned-password"},
		{"a.yml", `  - DB_PASSWORD=` + password, "assigned-password"},
		{".env", `DB_PASSWORD=` + password, "assigned-password"},
		{"a.properties", `spring.datasource.password=` + password, "assigned-password"},
		{"a.json", `{"password": "` + password + `"}`, "assigned-password"},
		{"a.xml", `<password>` + password + `</password>`, "assigned-password"},
		{"a.sql", `CREATE USER u IDENTIFIED BY '` + password + `';`, "assigned-password"},
		{"a.sql", `ALTER ROLE u WITH PASSWORD '` + password + `';`, "assigned-password"},
		{"a.sh", `tool --password ` + password + ` --verbose`, "assigned-password"},
		{"a.sh", `openssl rsa -passin pass:` + password + ` -in k`, "assigned-password"},
		{"a.sh", `mysql -u root -p` + password + ` db`, "command-line-password"},
		{"a.sh", `sshpass -p ` + password + ` ssh h`, "command-line-password"},
		{"a.sh", `curl -u admin:` + password + ` https://h/`, "command-line-password"},
		{"a.sh", `curl --user "admin:` + password + `" https://h/`, "command-line-password"},
		{"Dockerfile", `ENV DB_PASSWORD=` + password, "assigned-password"},
		{"a.js", `const apiKey = "` + key + `";`, "assigned-key"},
		{"a.go", `	Token: "` + key + `",`, "assigned-key"},
		{"a.yml", `api_key: ` + key, "assigned-key"},
		{".env", `STEAM_KEY=` + key, "assigned-key"},
		{"a.js", `headers: {Authorization: "Bearer ` + key + `"}`, "authorization-header"},
		{"a.sh", `curl -H 'Authorization: Bearer ` + key + `'`, "authorization-header"},
		{"a.yml", `url: postgres://app:` + password + `@db.internal/x`, "url-password"},
		{"a.go", `dsn := "app:` + password + `@tcp(10.0.0.1:3306)/x"`, "url-password"},
		{"a.md", "password: `" + password + "`", "assigned-password"},

		{"a.go", `	password := ` + password, ""},
		{"a.go", `	password := os.Getenv("DB_PASSWORD")`, ""},
		{"a.go", `	if password == "" {`, ""},
		{"a.py", `password = getpass.getpass("Password: ")`, ""},
		{"a.py", `password = input("Enter your password: ")`, ""},
		{"a.py", `password = config["password"]`, ""},
		{"a.js", `const {password} = req.body`, ""},
		{"a.js", `password: yup.string().required("Required field")`, ""},
		{"a.js", `t("password.label", "Password")`, ""},
		{"a.js", `token: req.headers["x-auth-token"]`, ""},
		{"a.yml", `password: ${DB_PASSWORD}`, ""},
		{"a.yml", `password: "{{ vault_db_password }}"`, ""},
		{"a.yml", `password: !vault |`, ""},
		{"a.yml", `token: ${{ secrets.GITHUB_TOKEN }}`, ""},
		{"a.tf", `  password = var.db_password`, ""},
		{"a.tf", `  password = data.vault_generic_secret.db.data["password"]`, ""},
		{".env", `DB_PASSWORD=changeme`, ""},
		{".env", `DB_PASSWORD=`, ""},
		{"a.html", `<input type="password" name="password" placeholder="Password">`, ""},
		{"a.json", `"password": "Passwort vergessen?"`, ""},
		{"package-lock.json", `"token": "` + key + `"`, ""},
		{"app.min.js", `password:"` + password + `"`, ""},
		{"locales/en.json", `"password": "` + password + `"`, ""},
		{"a.css", `.password-field{content:"\f023"}`, ""},
		{"a.go", `const PasswordHashHeader = "X-Password-Hash-V2"`, ""},
		{"a.yml", `url: postgres://app:app@db/x`, ""},
		{"a.yml", `url: postgres://app:${PW}@db/x`, ""},
		{"a.yml", `url: postgres://user:password@localhost/x`, ""},
		{"a.yml", `image: registry.example.com:5000/a@sha256:` + strings.Repeat("0a1b", 16), ""},
		{"a.sh", `curl -u "$USER:$PASS" https://h/`, ""},
		{"a.sh", `curl -H "Authorization: Bearer $TOKEN"`, ""},
		{"a.go", `req.Header.Set("Authorization", "Bearer "+token)`, ""},
	}
	for _, tt := range tests {
		found := secretsIn(tt.path, tt.line)
		got := strings.Join(rulesOf(found), " ")
		if want := strings.TrimSuffix("secret/"+tt.want, "secret/"); got != want {
			t.Errorf("%s: %s\n got %q\nwant %q", tt.path, tt.line, got, want)
		}
	}
}

// TestAssignedNextLine takes values from the line after their names.
func TestAssignedNextLine(t *testing.T) {
	t.Parallel()
	password := "kTq9" + "mPx2"
	for text, line := range map[string]int{
		"- name: DB_PASSWORD\n  value: " + password:                  1,
		"password: |-\n  " + password:                                1,
		"<password>\n  " + password + "\n</password>":                1,
		"{\"key\": \"password\",\n \"value\": \"" + password + "\"}": 1,
	} {
		found := secretsIn("deploy.yaml", text)
		if len(found) != 1 || found[0].line != line {
			t.Errorf("%q: %+v", text, found)
		}
	}
	for _, text := range []string{"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: x", "password:\n  minimum: 8", "password: |\n  " + "changeme"} {
		if found := secretsIn("deploy.yaml", text); len(found) > 0 {
			t.Errorf("%q: %v", text, rulesOf(found))
		}
	}
}

func TestAssignedSamplePathIsLow(t *testing.T) {
	t.Parallel()
	line := `password = "kTq9` + `mPx2"`
	for path, want := range map[string]gavel.Severity{"src/a.py": gavel.Medium, "tests/a.py": gavel.Low, "docs/a.md": gavel.Low, "examples/a.py": gavel.Low, "src/a.spec.ts": gavel.Low} {
		found := secretsIn(path, line)
		if len(found) != 1 || found[0].severity != want {
			t.Errorf("%s: %+v", path, found)
		}
	}
}

// TestFilledLine: a password does not hide on a line that is long because something fills it up.
func TestFilledLine(t *testing.T) {
	t.Parallel()
	const line = `password = "xK9mQ2vLp7Zt4Rw81";`
	for name, text := range map[string]string{
		"blanks behind": line + strings.Repeat(" ", 5000) + "//", "blanks before": strings.Repeat(" ", 5000) + line,
		"tabs": strings.Repeat("\t", 5000) + line, "slashes": line + strings.Repeat("/", 5000), "on both sides": strings.Repeat(" ", 90_000) + line + strings.Repeat("-", 90_000),
	} {
		if found := secretsIn("a.js", text); len(found) != 1 || found[0].doc.ID != "secret/assigned-password" {
			t.Errorf("%s: %v", name, rulesOf(found))
		}
	}
	minified := strings.Repeat("var a=function(b){return b};", 200)
	if found := secretsIn("a.js", minified+line+minified); len(found) != 0 {
		t.Errorf("minified: %v", rulesOf(found))
	}
}
