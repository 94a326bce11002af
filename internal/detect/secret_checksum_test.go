package detect

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestProofVectors checks the checksums against values that their issuers or authors printed.
func TestProofVectors(t *testing.T) {
	t.Parallel()
	encode := base64.RawURLEncoding.EncodeToString
	header, payload := encode([]byte(`{"alg":"none"}`)), encode([]byte(`{"sub":"a"}`))
	tests := []struct {
		check, value string
		want         proof
	}{
		{"base62-crc32", "ghp_" + "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ" + "0mLq17", proofHolds},
		{"base62-crc32", "ghp_" + "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ" + "0mLq18", proofFails},
		{"base62-crc32", "ghp_short", proofFails},
		{"nkey", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY", proofHolds},
		{"nkey", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VQ", proofFails},
		{"nkey", "SU1", proofFails},
		{"bech32", "A12UEL5L", proofHolds}, // BIP 173
		{"bech32", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", proofHolds},
		{"bech32", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxv", proofFails},
		{"bech32", "1qqqqqq", proofFails}, {"bech32", "abc", proofFails},
		{"jwt", header + "." + payload + ".", proofHolds},
		{"jwt", header + "." + encode([]byte(`["a"`)) + ".x", proofNever},
		{"jwt", header + ".eyJ9.x", proofFails},
		{"jwt", encode([]byte(`{"kid":"a"}`)) + "." + payload + ".x", proofNever},
		{"jwt", "eyJ.eyJ.", proofNever}, {"jwt", "a.b", proofNever},
		{"jwt64", base64.StdEncoding.EncodeToString([]byte(header + "." + payload + ".")), proofHolds},
		{"jwt64", "@@@@", proofNever},
		{"macaroon", "pypi-" + base64.RawURLEncoding.EncodeToString([]byte("\x02\x01\x08pypi.org and more of it")), proofHolds},
		{"macaroon", "pypi-AgEI", proofFails},
		{"snowflake", encode([]byte("123456789012345678")) + ".abcdef.xyz", proofHolds},
		{"snowflake", encode([]byte("not a number at all")) + ".abcdef.xyz", proofNever},
		{"base64-64", base64.StdEncoding.EncodeToString(make([]byte, 64)), proofHolds},
		{"base64-64", base64.StdEncoding.EncodeToString(make([]byte, 63)), proofFails},
		{"grafana-crc32", "glsa_a_" + crcHex("glsa_a"), proofHolds}, {"grafana-crc32", "glsa", proofFails},
		{"json64", "x_" + encode([]byte(`{"a":1}`)), proofHolds}, {"json64", "x_eyJ!", proofFails}, {"json64", "x", proofFails},
		{"mixed", "aB3", proofNone}, {"mixed", "ab3", proofNever},
		{"letters-digits", "a1", proofNone}, {"letters-digits", "aa", proofNever},
		{"", "x", proofNone}, {"no such check", "x", proofNever},
	}
	for _, tt := range tests {
		if got := secretProof(tt.check, tt.value); got != tt.want {
			t.Errorf("%s %q: %d, want %d", tt.check, tt.value, got, tt.want)
		}
	}
}

func TestCRC16(t *testing.T) {
	t.Parallel()
	if got := crc16([]byte("123456789")); got != 0x31c3 { // the check value of CRC-16/XMODEM
		t.Errorf("%#x", got)
	}
}

// FuzzProofs wants every check to survive any value.
func FuzzProofs(f *testing.F) {
	for _, name := range proofNames() {
		f.Add(name, "ghp_x.eyJ.1")
	}
	f.Fuzz(func(t *testing.T, name, value string) { secretProof(name, value) })
}

func proofNames() []string {
	names := []string{""}
	for _, spec := range secretFamilies {
		if !strings.Contains(strings.Join(names, " "), spec.Check) {
			names = append(names, spec.Check)
		}
	}
	return names
}
