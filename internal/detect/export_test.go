package detect

import "testing"

// Planted is a made-up value of a family with text around it that makes it one.
type Planted struct {
	ID, Text, Secret string // Secret is what no output may show
}

// PlantedSecrets makes one value of every family.
func PlantedSecrets(t testing.TB) []Planted {
	t.Helper()
	var all []Planted
	for i := range secretFamilies {
		s := &secretFamilies[i]
		text := surroundings(s, sampleOf(t, s, newRand(uint64(i)+99)))[0]
		for _, f := range secretsIn("conf/settings.yml", text) {
			if f.doc.ID == "secret/"+s.ID {
				all = append(all, Planted{s.ID, text, text[f.start+min(s.Shown, f.end-f.start) : f.end]})
			}
		}
	}
	return all
}
