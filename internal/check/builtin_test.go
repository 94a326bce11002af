package check

import "testing"

func TestBuiltin(t *testing.T) {
	t.Parallel()
	m, err := ReadManifest("stacks.toml", stacksManifest)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Checks {
		c := &m.Checks[i]
		for _, name := range c.Requires.Tools {
			if m.tool(name).Install == "" {
				t.Errorf("%s: nobody says how to have %s", c.ID, name)
			}
		}
		if !c.Applies.configurable() && c.Required == RequiredConfigured {
			t.Errorf("%s: it is required where it is configured, and nothing configures it", c.ID)
		}
	}
}
