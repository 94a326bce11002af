package detect

import (
	"strings"
	"testing"
)

func TestJudgeValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind  nameKind
		want  strength
		words string
	}{
		{namePassword, plausible, "kTq9mPx2 Tr0ub4dor&3 vq7zkd s3cur3Pxq kzwqvprt 99bottlesofale Sommer2024! zpqkwvtr#!"},
		{namePassword, strong, "kD93jfQ0aLxm2Pq7 9f8e7d6c5b4a39281706f5e4"},
		{namePassword, notSecret, `password changeme secret test test123 Passw0rd p@ssw0rd your-password-here <password> ${DB_PASSWORD} {{password}} $PASSWORD
			%PASSWORD% process.env.PASSWORD os.environ xxxxxxxx ******** 12345678 qwerty aaaaaaaa none null true MyPassword dbPassword example foo bar
			${PW:-x} #{pw} $(cat) /run/secrets/db /etc/ssl/key.pem ./pw.txt a@example.com https://x secrets.DB env.PASSWORD ... [redacted] abc 1234
			admin root postgres user123 letmein Invalid&&password newPassword confirmPassword password_confirmation`},
		{nameKey, strong, "kD93jfQ0aLxm2Pq7 9f8e7d6c5b4a39281706f5e4 Zq8-xK2_vN7-bW4 aGVsbG8tc2VjcmV0LTk5OQ== dbf6a1c0dbf6a1c7"},
		{nameKey, notSecret, `api_key your-api-key myToken12 application/json user.token accessToken refresh_token next token123 1234567890 AES-256-GCM
			x-api-key getToken() TOKEN_HEADER sha256:abcdef0123 utf-8 camelCaseName snake_case_name Bearer en-US v1.2.3 0123456789abcdef`},
	}
	for _, tt := range tests {
		for v := range strings.FieldsSeq(tt.words) {
			if got := judgeValue(v, tt.kind); got != tt.want {
				t.Errorf("kind %d, %q: %d, want %d (share %.2f)", tt.kind, v, got, tt.want, strangeShare(v))
			}
		}
	}
	for _, phrase := range []string{"the password is wrong", "Enter your password", "Password must be at least 8", "forgot password?"} {
		if got := judgeValue(phrase, namePassword); got != notSecret {
			t.Errorf("%q: %d", phrase, got)
		}
	}
}

func TestMonotonous(t *testing.T) {
	t.Parallel()
	for v := range strings.FieldsSeq("aaaa 1234 4321 abcdefgh 00000000000000000000 1212121212 abababababab 0123456789abcdef aaaaaaaaaaaaaaab") {
		if !monotonous(v) {
			t.Errorf("%q is", v)
		}
	}
	for v := range strings.FieldsSeq("abc k3Jq kD93jfQ0aLxm2Pq7 hunter27") {
		if monotonous(v) {
			t.Errorf("%q is not", v)
		}
	}
}

func TestClassifyName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  nameKind
		names string
	}{
		{namePassword, "password Password PASSWORD db_password dbPassword DB_PASSWORD password2 passwd pwd userPassword spring.datasource.password PASSWORD_PROD MYSQL_ROOT_PASSWORD --password passphrase"},
		{nameSecret, "secret client_secret clientSecret CLIENT_SECRET appSecret secret_value"},
		{nameKey, "token apiKey api_key API_KEY x-api-key accessToken auth_token secretAccessKey AWS_SECRET_ACCESS_KEY encryptionKey privateKey credential"},
		{nameOther, `key keys primaryKey primary_key publicKey public_key cacheKey passwordField password_hash passwordHash password_label tokenizer token_type token_url
			token_count secret_name secretName key_id keyId passing compass bypass monkey keyboard author authority forgot_password reset_password_url next_token
			page_token cancellationToken csrf_token_name password_policy passwordLength pass_rate`},
	}
	for _, tt := range tests {
		for name := range strings.FieldsSeq(tt.names) {
			if got := classifyName(name); got != tt.want {
				t.Errorf("%s: %d, want %d", name, got, tt.want)
			}
		}
	}
}

func TestClassifySecretPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path          string
		syntax        secretSyntax
		sample, quiet bool
	}{
		{"src/main.go", syntaxCode, false, false}, {"src/main_test.go", syntaxCode, true, false}, {"tests/conf.yml", syntaxConfig, true, false},
		{"latest/app.rb", syntaxCode, false, false}, {"src/Core.Tests/A.cs", syntaxCode, true, false}, {"README.md", syntaxProse, true, false},
		{".env", syntaxConfig, false, false}, {".env.production", syntaxConfig, false, false}, {".env.example", syntaxConfig, true, false},
		{"package-lock.json", syntaxConfig, false, true}, {"go.sum", syntaxUnknown, false, true}, {"Cargo.lock", syntaxUnknown, false, true},
		{"web/app.min.js", syntaxCode, false, true}, {"locales/de.json", syntaxConfig, false, true}, {"Dockerfile", syntaxShell, false, false},
		{"docker/Dockerfile.prod", syntaxShell, false, false}, {"deploy.sh", syntaxShell, false, false}, {"", syntaxUnknown, false, false},
		{"application.properties", syntaxConfig, false, false}, {"config.yaml.j2", syntaxConfig, false, false}, {"vendor/x/y.go", syntaxCode, false, false},
	}
	for _, tt := range tests {
		got := classifySecretPath(tt.path)
		if got.syntax != tt.syntax || got.sample != tt.sample || got.quiet != tt.quiet {
			t.Errorf("%s: %+v, want %v sample %v quiet %v", tt.path, got, tt.syntax, tt.sample, tt.quiet)
		}
	}
}
