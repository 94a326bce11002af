package check

import (
	"encoding/json"
	"fmt"
)

// parseJSONPresence reads a report whose presence is the measurement: an inventory, a bill of materials, a coverage
// summary. It has to be one whole JSON object or list, and the tool has to have ended well; what stands in it is not judged.
func parseJSONPresence(o Output) (Report, error) {
	var doc json.RawMessage
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, err
	}
	if doc[0] != '{' && doc[0] != '[' {
		return Report{}, fmt.Errorf("the report is neither an object nor a list: %s", excerpt(string(doc)))
	}
	return Report{Measured: -1}, nil
}
