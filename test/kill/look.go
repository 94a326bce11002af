//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long something may need to end that was killed, by a machine that is busy.
const patience = 15 * time.Second

// processes lists what has to do with the scene: by its folder, its arguments or its environment.
func (s *scene) processes() []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		at := filepath.Join("/proc", e.Name())
		dir, _ := os.Readlink(filepath.Join(at, "cwd"))
		args, _ := os.ReadFile(filepath.Join(at, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(at, "environ"))
		if dir == s.dir || strings.HasPrefix(dir, s.dir+"/") || bytes.Contains(args, []byte(s.dir)) || bytes.Contains(env, []byte(s.dir)) {
			found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(bytes.TrimRight(args, "\x00"), []byte{0}, []byte(" "))))
		}
	}
	return found
}

// quiet waits until no process of the scene is left and says how long that took.
func (s *scene) quiet() (time.Duration, error) {
	started := time.Now()
	for {
		left := s.processes()
		took := time.Since(started)
		switch {
		case len(left) == 0:
			return took, nil
		case took > patience:
			return took, fmt.Errorf("processes are left after %v: %v", took, left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end kills whatever a fault has left.
func (s *scene) end() {
	for _, p := range s.processes() {
		number, _, _ := strings.Cut(p, " ")
		if pid, err := strconv.Atoi(number); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// states counts the runs by their state. A half pack is an error, and a run that reads as running.
func (s *scene) states() (map[string]int, error) {
	list, err := s.ask("runs", "--limit", "100000")
	if err != nil {
		return nil, err
	}
	states := make(map[string]int)
	for _, r := range list.Runs {
		states[r.State]++
		if r.State == "running" {
			return nil, fmt.Errorf("run %s reads as running", r.RunID)
		}
		whole, err := wholePack(r.Dir)
		if err != nil {
			return nil, err
		}
		if whole != (r.State == "completed") {
			return nil, fmt.Errorf("run %s: manifest %v, and yet it is %s", r.RunID, whole, r.State)
		}
	}
	return states, nil
}

// wholePack reports whether a manifest lies in the folder. Where it does, every file has to be there as it says.
func wholePack(dir string) (bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, "MANIFEST.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var m struct {
		Files map[string]struct {
			SHA256 string
			Size   int64
		}
	}
	if err := json.Unmarshal(data, &m); err != nil || len(m.Files) == 0 {
		return false, fmt.Errorf("%s: no manifest: %w", dir, err)
	}
	for name, f := range m.Files {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return false, fmt.Errorf("half a pack: %w", err)
		}
		if int64(len(content)) != f.Size || fmt.Sprintf("%x", sha256.Sum256(content)) != f.SHA256 {
			return false, fmt.Errorf("%s: %s is not what the manifest says", dir, name)
		}
	}
	return true, nil
}
