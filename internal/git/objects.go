package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/proc"
)

// objects asks one lasting git process for objects. It is started at the first question that is not answered from
// what is stored, and again after a failure.
type objects struct {
	command proc.Command
	stored  *stored // nil = git is asked for everything

	mu      sync.Mutex
	process *proc.Process
	out     *bufio.Reader
}

// object is the head of an answer.
type object struct {
	id   string // hex
	kind string // commit, tree, blob, tag; "" when there is no such object
	size int64
}

func (o object) missing() bool { return o.kind == "" }

// The questions.
const (
	askInfo     = "info"
	askContents = "contents"
)

// ask sends one question about each name and hands every answer to handle, in order. body holds the object's bytes
// for askContents and may be left unread; it is nil otherwise. Names hold no NUL and no newline.
func (o *objects) ask(ctx context.Context, question string, names []string, handle func(i int, obj object, body io.Reader) error) error {
	if len(names) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	done, err := o.askStored(ctx, question, names, handle)
	if names = names[done:]; err != nil || len(names) == 0 {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.start(ctx); err != nil {
		return err
	}
	asked := handle
	handle = func(i int, obj object, body io.Reader) error { return asked(done+i, obj, body) }
	process := o.process
	stop := context.AfterFunc(ctx, process.Kill)
	err = o.exchange(question, names, handle)
	if !stop() && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil {
		return nil
	}
	said, waited := o.end() // what is left in the pipe belongs to nobody
	if ctx.Err() != nil {
		return cancelled(ctx.Err())
	}
	if isLate(waited) {
		return toolError(waited)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &diedError{said}
	}
	return err
}

// askStored answers as many of the first questions as it can without git.
func (o *objects) askStored(ctx context.Context, question string, names []string, handle func(int, object, io.Reader) error) (done int, err error) {
	if o.stored == nil {
		return 0, nil
	}
	for i, name := range names {
		obj, data, err := o.stored.answer(question, name)
		if err != nil {
			return i, nil // for git to say
		}
		var body io.Reader
		if question == askContents && !obj.missing() {
			body = bytes.NewReader(data)
		}
		if err := handle(i, obj, body); err != nil {
			return i, err
		}
		if err := ctx.Err(); err != nil {
			return i, cancelled(err)
		}
	}
	return len(names), nil
}

// diedError says that git ended in the middle of an answer: an object is damaged.
type diedError struct{ stderr string }

func (e *diedError) Error() string { return "git ended while reading objects: " + said(e.stderr) }

func (o *objects) start(ctx context.Context) error {
	if o.process != nil {
		return nil
	}
	c := o.command
	c.PipeStdin = true
	process, err := c.Start(context.WithoutCancel(ctx)) // it outlives this question
	if err != nil {
		return toolError(err)
	}
	o.process = process
	if o.out == nil {
		o.out = bufio.NewReaderSize(process.Stdout, 32<<10)
	} else {
		o.out.Reset(process.Stdout)
	}
	return nil
}

// exchange writes some questions at once; git keeps them until it sees "flush", so neither side waits for the other.
func (o *objects) exchange(question string, names []string, handle func(int, object, io.Reader) error) error {
	const most = 512
	for done := 0; done < len(names); {
		batch := names[done:min(done+most, len(names))]
		if err := o.send(question, batch); err != nil {
			return err
		}
		for _, name := range batch {
			if err := o.answer(question, name, func(obj object, body io.Reader) error { return handle(done, obj, body) }); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}

func (o *objects) send(question string, names []string) error {
	var request bytes.Buffer
	for _, name := range names {
		if strings.ContainsAny(name, "\x00\n") {
			return fmt.Errorf("git: the name %q cannot be asked for", name)
		}
		request.WriteString(question + " " + name + "\x00")
	}
	request.WriteString("flush\x00")
	if _, err := o.process.Stdin.Write(request.Bytes()); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (o *objects) answer(question, name string, handle func(object, io.Reader) error) error {
	line, err := o.out.ReadString('\n')
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	line = line[:len(line)-1]
	if line == name+" missing" || line == name+" ambiguous" {
		return handle(object{}, nil)
	}
	obj, err := readObjectHead(line)
	if err != nil {
		return err
	}
	if question == askInfo {
		return handle(obj, nil)
	}
	body := io.LimitedReader{R: o.out, N: obj.size}
	if err := handle(obj, &body); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, o.out, body.N+1); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func readObjectHead(line string) (object, error) {
	id, rest, _ := strings.Cut(line, " ")
	kind, size, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || !isID(id) || kind == "" || n < 0 {
		return object{}, fmt.Errorf("git: answer %q makes no sense", line)
	}
	return object{id, kind, n}, nil
}

func (o *objects) close() {
	if o.stored != nil {
		o.stored.close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.process == nil {
		return
	}
	o.process.Stdin.Close() // it ends by itself
	_, _ = io.Copy(io.Discard, o.process.Stdout)
	_ = o.process.Wait()
	o.process = nil
}

func (o *objects) end() (stderr string, waited error) {
	p := o.process
	o.process = nil
	p.Kill()
	p.Stdin.Close()
	p.Stdout.Close()
	waited = p.Wait()
	return p.Stderr(), waited
}
