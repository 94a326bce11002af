package proc

import "time"

// protocolVersion is said first by both sides. They are the same program, unless it was replaced while it ran.
const protocolVersion = 1

// The runner and the reaper talk in lines of JSON: requests on the reaper's standard input, replies on its standard
// output. The end of the input is the order to end everything. What names files, arguments and variables is bytes: JSON
// text would not carry what is no UTF-8.

// request is one line to the reaper. Exactly one field is set.
type request struct {
	Version int           `json:"v,omitempty"`
	Start   *startRequest `json:"start,omitempty"`
	Cancel  uint64        `json:"cancel,omitempty"` // id of the task to end
}

// startRequest is a Task whose paths are absolute and whose limits are filled in.
type startRequest struct {
	ID        uint64        `json:"id"` // never 0; also what marks the task's processes, see markOf
	Path      []byte        `json:"path"`
	Argv      [][]byte      `json:"argv"`
	Env       [][]byte      `json:"env"`
	Dir       []byte        `json:"dir"`
	Stdout    []byte        `json:"stdout,omitempty"`
	Stderr    []byte        `json:"stderr,omitempty"`
	MaxOutput int64         `json:"max_output"`
	Timeout   time.Duration `json:"timeout,omitempty"`
	Grace     time.Duration `json:"grace"`
}

// reply is one line from the reaper. A task has one with its Pid, then one with its Exit; or a single one with an Error
// and no Exit when it could not be started.
type reply struct {
	Version int    `json:"v,omitempty"`
	ID      uint64 `json:"id,omitempty"`
	Pid     int    `json:"pid,omitempty"`
	Exit    *Exit  `json:"exit,omitempty"`
	Error   string `json:"error,omitempty"`
	Missing bool   `json:"missing,omitempty"` // the Error is that the program does not exist
}

func toBytes(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, t := range texts {
		out[i] = []byte(t)
	}
	return out
}

func toStrings(texts [][]byte) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = string(t)
	}
	return out
}
