package detect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// newPEM makes a key that is thrown away.
func newPEM(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "\n")
}

// armored makes a block with a random body that begins with the bytes.
func armored(label, first string, lines int) string {
	r := newRand(5)
	body := base64.StdEncoding.EncodeToString(append([]byte(first), randomText(r, 48*lines-len(first))...))
	var b strings.Builder
	b.WriteString("-----BEGIN " + label + "-----\n")
	for len(body) > 0 {
		n := min(64, len(body))
		b.WriteString(body[:n] + "\n")
		body = body[n:]
	}
	return b.String() + "-----END " + label + "-----"
}

func TestPrivateKey(t *testing.T) {
	t.Parallel()
	key := newPEM(t)
	lines := strings.Split(key, "\n")
	quoted := func(before, after string) string {
		var out []string
		for _, line := range lines {
			out = append(out, before+line+after)
		}
		return strings.Join(out, "\n")
	}
	openssh := armored("OPENSSH PRIVATE KEY", "openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01", 6)
	encrypted := strings.Replace(armored("RSA PRIVATE KEY", "0\x82", 5), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D4E5F60718293A4B5C6D7E8F9\n\n", 1)
	tests := []struct {
		name, text, rule string
		severity         gavel.Severity
		lines            int
	}{
		{"pkcs8", key, "private-key", gavel.Critical, len(lines)},
		{"rsa", armored("RSA PRIVATE KEY", "0\x82\x04\xa4", 8), "private-key", gavel.Critical, 10},
		{"ec", armored("EC PRIVATE KEY", "0\x77", 3), "private-key", gavel.Critical, 5},
		{"openssh", openssh, "private-key", gavel.Critical, 8},
		{"encrypted", armored("ENCRYPTED PRIVATE KEY", "0\x82", 5), "private-key", gavel.Medium, 7},
		{"proc-type", encrypted, "private-key", gavel.Medium, 10},
		{"no key inside", armored("RSA PRIVATE KEY", "xyz", 5), "private-key", gavel.High, 7},
		{"pgp", armored("PGP PRIVATE KEY BLOCK", "\x95", 5), "pgp-private-key", gavel.High, 7},
		{"escaped", `{"key": "` + strings.ReplaceAll(key, "\n", `\n`) + `\n"}`, "private-key", gavel.Critical, 1},
		{"escaped twice", `KEY="` + strings.ReplaceAll(key, "\n", `\\n`) + `"`, "private-key", gavel.Critical, 1},
		{"in one line", "KEY=" + strings.ReplaceAll(key, "\n", " "), "private-key", gavel.Critical, 1},
		{"go", "k := `" + key + "`", "private-key", gavel.Critical, len(lines)},
		{"java", quoted(`    "`, `\n" +`), "private-key", gavel.Critical, len(lines)},
		{"array", "[\n" + quoted(`  "`, `",`) + "\n].join()", "private-key", gavel.Critical, len(lines)},
		{"yaml", "key: |\n" + quoted("    ", ""), "private-key", gavel.Critical, len(lines)},
		{"comment", quoted("// ", ""), "private-key", gavel.Critical, len(lines)},
		{"crlf", quoted("", "\r"), "private-key", gavel.Critical, len(lines)},
		{"no end", strings.Join(lines[:len(lines)-1], "\n"), "private-key", gavel.Critical, len(lines) - 1},
		{"base64", "data: " + base64.StdEncoding.EncodeToString([]byte(key)), "private-key", gavel.Critical, 1},
		{"putty", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1\nPrivate-Lines: 1\n" + randomText(newRand(3), 48) + "\nPrivate-MAC: 1", "putty-private-key", gavel.Critical, 7},
		{"jwk", `{"kty": "EC", "crv": "P-256", "d": "` + randomText(newRand(4), 43) + `"}`, "jwk-private-key", gavel.Critical, 1},
		{"jwk, symmetric", `{"kty":"oct","k":"` + randomText(newRand(5), 43) + `"}`, "jwk-private-key", gavel.Critical, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := secretsIn("tests/settings.txt", tt.text)
			if len(found) != 1 || found[0].doc.ID != "secret/"+tt.rule || found[0].severity != tt.severity && tt.severity != gavel.High {
				t.Fatalf("%+v", found)
			}
			if got := found[0].lineEnd - found[0].line + 1; got != tt.lines {
				t.Errorf("%d lines, want %d", got, tt.lines)
			}
		})
	}
}

func TestNoPrivateKey(t *testing.T) {
	t.Parallel()
	key := newPEM(t)
	certificate := strings.ReplaceAll(key, "PRIVATE KEY", "CERTIFICATE")
	for name, text := range map[string]string{
		"header only":    `if strings.HasPrefix(s, "-----BEGIN RSA PRIVATE KEY-----") { return parseSomethingElse(s) }`,
		"header, code":   "const begin = \"-----BEGIN PRIVATE KEY-----\"\nconst endMarkerOfTheBlock = \"-----END PRIVATE KEY-----\"\n",
		"dots":           "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"word":           "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqh...\n-----END PRIVATE KEY-----",
		"repeated":       "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 64) + "\n-----END PRIVATE KEY-----",
		"template":       "-----BEGIN PRIVATE KEY-----\n{{ private_key_of_the_server }}\n-----END PRIVATE KEY-----",
		"public":         strings.ReplaceAll(key, "PRIVATE", "PUBLIC"),
		"certificate":    certificate,
		"encoded":        base64.StdEncoding.EncodeToString([]byte(certificate)),
		"public jwk":     `{"kty": "EC", "crv": "P-256", "x": "` + randomText(newRand(4), 43) + `"}`,
		"putty, public":  "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAA",
		"putty, no body": "PuTTY-User-Key-File-3:",
	} {
		if found := secretsIn("a.txt", text); len(found) > 0 {
			t.Errorf("%s: %v", name, rulesOf(found))
		}
	}
}

// TestPrivateKeyBeginsOnAddedLine: a block counts when its first line is added, whatever follows it, and when a line of
// its body is: that is another key.
func TestPrivateKeyBeginsOnAddedLine(t *testing.T) {
	t.Parallel()
	f := added("a.pem", newPEM(t))
	for i := range f.Hunks[0].Lines[1:] {
		f.Hunks[0].Lines[i+1].Op = gavel.Context
	}
	if found := passOver(t, f); len(found) != 1 {
		t.Errorf("%d findings", len(found))
	}
	f.Hunks[0].Lines[0].Op = gavel.Context
	f.Hunks[0].Lines[2].Op = gavel.Add
	if found := passOver(t, f); len(found) != 1 {
		t.Errorf("%d findings", len(found))
	}
}
