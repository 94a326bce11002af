package detect

import (
	_ "embed" // the numbers are part of the program
	"encoding/json"
	"fmt"
	"sync"
)

// Measured is how often a rule was right on labelled public data.
type Measured struct {
	N         int     `json:"n"`             // findings that the labels judge
	Right     int     `json:"right"`         // how many of them
	Precision float64 `json:"precision"`     // their share, two decimals
	Noise     float64 `json:"per_100_diffs"` // findings per 100 ordinary diffs, which nobody judged
}

// Measurement is one run over the labelled data, written by `make eval`.
type Measurement struct {
	Date string `json:"date"` // YYYY-MM-DD
	Sets []struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Cases  int    `json:"cases"`
	} `json:"sets"`
	Rules map[string]Measured `json:"rules"`
}

//go:embed precision.json
var precisionJSON []byte

// Measurements returns the run that this version of the detectors was rated by.
var Measurements = sync.OnceValue(func() *Measurement {
	var m Measurement
	if err := json.Unmarshal(precisionJSON, &m); err != nil {
		return &Measurement{} // a test reads the file
	}
	return &m
})

// MeasuredRule returns what was measured of the rule; ok is false where no labelled data judge it.
func MeasuredRule(id string) (m Measured, ok bool) {
	m, ok = Measurements().Rules[id]
	return m, ok && m.N > 0
}

// String is the number in words: "right in 33 of 45 judged findings (precision 0.73)".
func (m Measured) String() string {
	return fmt.Sprintf("right in %d of %d judged findings (precision %.2f)", m.Right, m.N, m.Precision)
}
