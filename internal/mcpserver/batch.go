package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// maxBatch bounds the messages of one batch; each may cost an answer.
const maxBatch = 100

// batch collects the answers to the requests of one array. Only clients of 2025-03-26 and before may send one.
type batch struct {
	mu      sync.Mutex
	missing int
	answers [][]byte // in order of the requests
}

// add stores an answer and returns the whole array once it is complete, else nil.
func (b *batch) add(index int, answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[index] = answer
	b.missing--
	if b.missing > 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(b.answers, []byte{','})...), ']')
}

func (c *connection) acceptBatch(text []byte) error {
	if !c.book.batches() {
		if !json.Valid(text) {
			return c.refuse(parseError("the message is not JSON"))
		}
		return c.refuse(invalidRequest(nil, "batches are not part of this protocol revision; send one message a line"))
	}
	items, fault := readBatch(text)
	if fault != nil {
		return c.refuse(fault)
	}
	return c.openBatch(items)
}

func readBatch(text []byte) ([]json.RawMessage, *protocolError) {
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token() // the bracket
	var items []json.RawMessage
	for err == nil && d.More() {
		var item json.RawMessage
		if err = d.Decode(&item); err == nil {
			items = append(items, item)
		}
		if len(items) > maxBatch {
			return nil, invalidRequest(nil, "the batch has more than %d messages", maxBatch)
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	if _, end := d.Token(); err != nil || end != io.EOF {
		return nil, parseError("the message is not JSON")
	}
	if len(items) == 0 {
		return nil, invalidRequest(nil, "the batch is empty")
	}
	return items, nil
}

// openBatch counts all answers to come before the first message can be handled.
func (c *connection) openBatch(items []json.RawMessage) error {
	b := &batch{}
	faults := map[int]*protocolError{}
	for _, item := range items {
		e, fault := readEnvelope(item)
		if fault == nil && e.method != nil && *e.method == "initialize" {
			fault = invalidRequest(e.id, "initialize must not be part of a batch")
		}
		index := b.missing
		expects := fault != nil || (e.method != nil && e.id != nil)
		if e != nil && e.answer {
			fault, expects = nil, false
		}
		if expects {
			b.missing++
		}
		if fault == nil {
			fault = c.enqueue(e, item, b, index)
		}
		if fault != nil {
			faults[index] = fault
		}
	}
	return c.answerFaults(b, faults)
}

func (c *connection) answerFaults(b *batch, faults map[int]*protocolError) error {
	b.answers = make([][]byte, b.missing)
	for index, fault := range faults {
		if whole := b.add(index, fault.encode()); whole != nil {
			return c.send(whole)
		}
	}
	return nil
}
