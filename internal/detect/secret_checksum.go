package detect

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"strings"
)

// proof is what a token's own structure says about it beyond its shape.
type proof uint8

const (
	proofNone  proof = iota // the issuer has nothing to check
	proofHolds              // a checksum or an inner structure holds
	proofFails              // it does not: made up, altered or cut off
	proofNever              // not this kind of token at all
)

// proofNamed is the check that a rule can name; nil where there is none of that name.
func proofNamed(name string) func(value string) proof {
	switch name {
	case "base62-crc32":
		return provesBase62CRC
	case "nkey":
		return provesNkey
	case "bech32":
		return provesBech32
	case "jwt":
		return provesJWT
	case "jwt64":
		return provesJWT64
	case "json64":
		return provesJSON64
	case "grafana-crc32":
		return provesGrafana
	case "macaroon":
		return provesMacaroon
	case "snowflake":
		return provesSnowflake
	case "base64-64":
		return provesKey64
	case "dropbox":
		return provesDropbox
	case "mixed":
		return provesMixed
	case "letters-digits":
		return provesLettersDigits
	}
	return nil
}

// secretProof is what the check with the name says of the value.
func secretProof(name, value string) proof {
	if name == "" {
		return proofNone
	}
	if check := proofNamed(name); check != nil {
		return check(value)
	}
	return proofNever
}

func holdsIf(ok bool) proof {
	if ok {
		return proofHolds
	}
	return proofFails
}

const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// base62CRC is the checksum of GitHub's and npm's tokens: CRC-32 of the random part in six base62 digits.
func base62CRC(random string) string {
	sum := crc32.ChecksumIEEE([]byte(random))
	var digits [6]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62Digits[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// provesBase62CRC reads prefix_RANDOMccccccc: the last six digits check what stands between them and the underscore.
func provesBase62CRC(value string) proof {
	_, body, ok := strings.Cut(value, "_")
	if !ok || len(body) <= 6 {
		return proofFails
	}
	cut := len(body) - 6
	return holdsIf(base62CRC(body[:cut]) == body[cut:])
}

// provesGrafana reads glsa_RANDOM_cccccccc: CRC-32 of the rest in hex digits.
func provesGrafana(value string) proof {
	cut := strings.LastIndexByte(value, '_')
	if cut < 0 {
		return proofFails
	}
	return holdsIf(crcHex(value[:cut]) == value[cut+1:])
}

func crcHex(text string) string {
	const hex = "0123456789abcdef"
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [8]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = hex[sum&15]
		sum >>= 4
	}
	return string(digits[:])
}

// provesNkey checks a NATS seed: base32 of two prefix bytes, 32 key bytes and a CRC-16 (XMODEM, little endian).
func provesNkey(value string) proof {
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(value)
	if err != nil || len(raw) != 36 {
		return proofFails
	}
	return holdsIf(crc16(raw[:34]) == uint16(raw[34])|uint16(raw[35])<<8)
}

func crc16(data []byte) uint16 {
	sum := uint16(0)
	for _, b := range data {
		sum ^= uint16(b) << 8
		for range 8 {
			if sum&0x8000 != 0 {
				sum = sum<<1 ^ 0x1021
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}

const bech32Digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// provesBech32 checks the six-digit checksum of a bech32 string of any length (BIP 173).
func provesBech32(value string) proof {
	value = strings.ToLower(value)
	cut := strings.LastIndexByte(value, '1')
	if cut < 1 || len(value)-cut < 7 {
		return proofFails
	}
	sum := uint32(1)
	for i := range cut {
		sum = bech32Step(sum, value[i]>>5)
	}
	sum = bech32Step(sum, 0)
	for i := range cut {
		sum = bech32Step(sum, value[i]&31)
	}
	for i := cut + 1; i < len(value); i++ {
		digit := strings.IndexByte(bech32Digits, value[i])
		if digit < 0 {
			return proofFails
		}
		sum = bech32Step(sum, byte(digit))
	}
	return holdsIf(sum == 1)
}

func bech32Step(sum uint32, digit byte) uint32 {
	top := sum >> 25
	sum = (sum&0x1ffffff)<<5 ^ uint32(digit)
	for i, generator := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>i&1 != 0 {
			sum ^= generator
		}
	}
	return sum
}

// provesJWT decodes the header and the payload: both are JSON objects, and the header names an algorithm.
func provesJWT(value string) proof {
	parts := strings.SplitN(value, ".", 3)
	if len(parts) < 3 {
		return proofNever
	}
	var header map[string]any
	if !decodesJSON(parts[0], &header) {
		return proofNever
	}
	algorithm, _ := header["alg"].(string)
	encryption, _ := header["enc"].(string)
	if algorithm == "" && encryption == "" {
		return proofNever
	}
	var payload map[string]any
	if encryption == "" && !strings.HasPrefix(parts[1], "ey") {
		return proofNever
	}
	return holdsIf(encryption != "" || decodesJSON(parts[1], &payload))
}

// provesJWT64 decodes a whole token that was encoded once more.
func provesJWT64(value string) proof {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		if raw, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(value, "=")); err != nil {
			return proofNever
		}
	}
	return provesJWT(string(raw))
}

func decodesJSON(segment string, to any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(segment, "="))
	return err == nil && json.Unmarshal(raw, to) == nil
}

// provesJSON64 wants base64 of a JSON object after the token's last prefix character.
func provesJSON64(value string) proof {
	at := strings.Index(value, "eyJ")
	if at < 0 {
		return proofFails
	}
	body, _, _ := strings.Cut(value[at:], "_")
	body = strings.TrimRight(body, "=")
	raw, err := base64.RawStdEncoding.DecodeString(body)
	if err != nil {
		raw, err = base64.RawURLEncoding.DecodeString(body)
	}
	return holdsIf(err == nil && json.Valid(raw))
}

// provesMacaroon decodes a PyPI token: a version 2 macaroon that names its server in the first bytes.
func provesMacaroon(value string) proof {
	_, body, _ := strings.Cut(value, "-")
	body = body[:len(body)&^3]
	raw, err := base64.URLEncoding.DecodeString(body)
	if err != nil || len(raw) < 16 {
		return proofFails
	}
	return holdsIf(raw[0] == 2 && strings.Contains(string(raw[:min(len(raw), 32)]), "pypi.org"))
}

// provesSnowflake decodes the first part of a Discord bot token: the decimal id of its user.
func provesSnowflake(value string) proof {
	head, _, _ := strings.Cut(value, ".")
	raw, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil || len(raw) < 15 || len(raw) > 20 {
		return proofNever
	}
	for _, b := range raw {
		if b < '0' || b > '9' {
			return proofNever
		}
	}
	return proofHolds
}

// provesKey64 decodes an Azure account key: exactly 64 bytes.
func provesKey64(value string) proof {
	raw, err := base64.StdEncoding.DecodeString(value)
	return holdsIf(err == nil && len(raw) == 64)
}

// provesDropbox looks past the run of zero bytes in the midst of a long-lived token, which is none of a made-up value.
func provesDropbox(value string) proof {
	if len(value) < 40 || unusable(value[21:]) || unusable(value[:11]) {
		return proofNever
	}
	return proofHolds
}

// provesMixed wants all three kinds of characters in a value without a checksum.
func provesMixed(value string) proof {
	lower, upper, digit, _ := countKinds(value)
	if lower == 0 || upper == 0 || digit == 0 {
		return proofNever
	}
	return proofNone
}

// provesLettersDigits wants letters and digits.
func provesLettersDigits(value string) proof {
	lower, upper, digit, _ := countKinds(value)
	if lower+upper == 0 || digit == 0 {
		return proofNever
	}
	return proofNone
}

func countKinds(s string) (lower, upper, digit, other int) {
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z':
			lower++
		case 'A' <= b && b <= 'Z':
			upper++
		case '0' <= b && b <= '9':
			digit++
		default:
			other++
		}
	}
	return lower, upper, digit, other
}
