package detect_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/mcpserver"
)

// planted is a repository with a staged file that holds a secret of every family and kind.
func planted(t *testing.T) (env *app.Env, all []detect.Planted) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "base"}} {
		runGit(t, dir, args...)
	}
	all = slices.Concat(detect.PlantedSecrets(t), plantedByHand())
	var text strings.Builder
	for _, p := range all {
		text.WriteString(p.Text + "\n")
	}
	path := filepath.Join(dir, "conf", "settings.yml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "add", "-A")
	env = &app.Env{Version: "test", Dir: dir, Now: time.Now, Progress: func(string) {}, Stdin: strings.NewReader(""), Door: app.CLI, Getenv: func(name string) string {
		switch name {
		case "HOME", "GAVEL_HOME", "USERPROFILE":
			return home
		case "PATH":
			return os.Getenv("PATH")
		}
		return ""
	}}
	return env, all
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// plantedByHand are the kinds that no pattern finds.
func plantedByHand() []detect.Planted {
	r := rand.New(rand.NewPCG(5, 5))
	word := func() string {
		const digits = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
		b := make([]byte, 22)
		for i := range b {
			b[i] = digits[r.IntN(len(digits))]
		}
		return string(b)
	}
	frames := []string{"db_password: %s", "api_key = \"%s\"", "url: postgres://app:%s@db.example.org/x", "dsn: app:%s@tcp(db.example.org)/x", "curl -u app:%s https://x", "mysql -uapp -p%s", "Authorization: Bearer %s", "ALTER USER app IDENTIFIED BY '%s';", "run --password %s now", "{\"kty\": \"oct\", \"k\": \"%s\"}"}
	var all []detect.Planted
	for _, frame := range frames {
		secret := word()
		all = append(all, detect.Planted{ID: frame, Text: fmt.Sprintf(frame, secret), Secret: secret})
	}
	pair := base64.StdEncoding.EncodeToString([]byte("app:" + word()))
	all = append(all, detect.Planted{ID: "basic", Text: "Authorization: Basic " + pair, Secret: strings.TrimRight(pair, "=")})
	key := base64.StdEncoding.EncodeToString([]byte("0\x82\x01\x01" + strings.Repeat(word(), 6)))
	block := "-----BEGIN PRIVATE KEY-----\n" + key[:64] + "\n" + key[64:128] + "\n-----END PRIVATE KEY-----"
	return append(all, detect.Planted{ID: "key", Text: block, Secret: key[:64]}, detect.Planted{ID: "key's second line", Text: "", Secret: key[64:128]})
}

// TestNoFormatShowsAValue plants a secret of every family and reads every format of review and scan, the answer over
// MCP, what is kept on disk, and guard's.
func TestNoFormatShowsAValue(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	env, all := planted(t)
	outputs := map[string]string{}
	for _, format := range []string{"text", "json", "sarif", "markdown"} {
		opt := app.RenderOptions{Format: format, Color: true, Width: 100}
		var b bytes.Buffer
		review, err := app.Review.Run(t.Context(), env, app.ReviewInput{})
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Review.Render(&b, review, opt); err != nil {
			t.Fatal(err)
		}
		scan, err := app.Scan.Run(t.Context(), env, app.ScanInput{})
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Scan.Render(&b, scan, opt); err != nil {
			t.Fatal(err)
		}
		if len(review.Findings) < len(all)-10 {
			t.Errorf("%d findings of %d secrets", len(review.Findings), len(all))
		}
		outputs[format] = b.String() + review.Notice() + fmt.Sprint(review.Verdict)
	}
	for _, tool := range mcpserver.Product(env, app.Operations()) {
		if tool.Name != "review" {
			continue
		}
		args, _ := json.Marshal(map[string]string{"repo": env.Dir})
		result, err := tool.Call(t.Context(), args, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		outputs["mcp"] = string(data) + fmt.Sprintf("%+v", result)
	}
	outputs["kept"] = kept(t, env.Getenv("GAVEL_HOME"))
	pieces := piecesOf(all)
	for name, text := range outputs {
		if len(text) < 1000 {
			t.Errorf("%s: nothing to look at: %q", name, text)
		}
		for i := 0; i+pieceSize <= len(text); i++ {
			if id, ok := pieces[text[i:i+pieceSize]]; ok {
				t.Errorf("%s shows %q of %s", name, text[i:i+pieceSize], id)
				break
			}
		}
	}
}

// kept is all that was written below the user's folder.
func kept(t *testing.T, home string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			b.Write(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pieceSize is how many bytes in a row of a secret are too many to show.
const pieceSize = 8

// piecesOf are all pieces of the secrets, but for those that look like a word or a run of one character.
func piecesOf(all []detect.Planted) map[string]string {
	pieces := make(map[string]string)
	for _, p := range all {
		for i := 0; i+pieceSize <= len(p.Secret); i++ {
			if piece := p.Secret[i : i+pieceSize]; strings.ContainsAny(piece, "0123456789") && strings.Trim(piece, piece[:1]) != "" {
				pieces[piece] = p.ID
			}
		}
	}
	return pieces
}
