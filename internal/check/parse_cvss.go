package check

import (
	"math"
	"strings"
)

// cvssWeights are the numbers of the base metrics of CVSS 3.1 (FIRST, Common Vulnerability Scoring System v3.1, §7.4).
// Privileges required weigh more where the scope changes: those rows are PRC.
var cvssWeights = map[string]map[string]float64{
	"AV":  {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2},
	"AC":  {"L": 0.77, "H": 0.44},
	"PR":  {"N": 0.85, "L": 0.62, "H": 0.27},
	"PRC": {"N": 0.85, "L": 0.68, "H": 0.5},
	"UI":  {"N": 0.85, "R": 0.62},
	"C":   {"H": 0.56, "L": 0.22, "N": 0},
	"I":   {"H": 0.56, "L": 0.22, "N": 0},
	"A":   {"H": 0.56, "L": 0.22, "N": 0},
}

// cvssBase computes the base score, 0 to 10, of a vector of CVSS 3.0 or 3.1. It reports false for any other vector and
// for one that lacks a base metric or gives it twice.
func cvssBase(vector string) (float64, bool) {
	head, rest, _ := strings.Cut(vector, "/")
	if head != "CVSS:3.0" && head != "CVSS:3.1" {
		return 0, false
	}
	given := map[string]string{}
	for metric := range strings.SplitSeq(rest, "/") {
		name, value, ok := strings.Cut(metric, ":")
		if _, twice := given[name]; !ok || twice {
			return 0, false
		}
		given[name] = value
	}
	changed := given["S"] == "C"
	if !changed && given["S"] != "U" {
		return 0, false
	}
	weights := map[string]float64{}
	for _, name := range []string{"AV", "AC", "PR", "UI", "C", "I", "A"} {
		row := name
		if name == "PR" && changed {
			row = "PRC"
		}
		weight, ok := cvssWeights[row][given[name]]
		if !ok {
			return 0, false
		}
		weights[name] = weight
	}
	return cvssScore(weights, changed), true
}

// cvssScore is the formula of §7.1.
func cvssScore(w map[string]float64, changed bool) float64 {
	iss := 1 - (1-w["C"])*(1-w["I"])*(1-w["A"])
	impact := 6.42 * iss
	if changed {
		impact = 7.52*(iss-0.029) - 3.25*math.Pow(iss-0.02, 15)
	}
	if impact <= 0 {
		return 0
	}
	sum := impact + 8.22*w["AV"]*w["AC"]*w["PR"]*w["UI"]
	if changed {
		sum *= 1.08
	}
	return cvssRoundUp(math.Min(sum, 10))
}

// cvssRoundUp rounds up to one decimal without being fooled by floating point (Appendix A).
func cvssRoundUp(x float64) float64 {
	n := int(math.Round(x * 100000))
	if n%10000 == 0 {
		return float64(n) / 100000
	}
	return float64(n/10000+1) / 10
}
