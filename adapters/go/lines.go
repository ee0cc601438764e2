package talk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

const most = 1000 // outcomes of a line

var (
	lock    sync.Mutex
	changed = sync.NewCond(&lock)
	waiting bytes.Buffer // lines that are to be written together
	telling int          // outcomes in the last of them, which has no end yet
	writing bool
	open    int // records without an outcome
)

// version is of the module that this program was built with.
func version(module string) string {
	built, _ := debug.ReadBuildInfo()
	for _, each := range built.Deps {
		if each.Path == module {
			return strings.TrimPrefix(each.Version, "v")
		}
	}
	return "unknown"
}

// now is CLOCK_MONOTONIC, which Go's own time does not tell.
func now() int64 {
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func heard(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func line(fields map[string]any) string {
	text, err := json.Marshal(fields)
	heard(err)
	return string(text)
}

func say(fields map[string]any) {
	lock.Lock()
	defer lock.Unlock()
	put(line(fields))
}

func ended(text string) {
	lock.Lock()
	defer lock.Unlock()
	open--
	put(text)
}

// acknowledged shares a line with the outcomes beside it. A place below 0 is none.
func acknowledged(id, offset, at int64) {
	lock.Lock()
	defer lock.Unlock()
	open--
	if telling == most {
		end()
	}
	mark := `,[`
	if telling == 0 {
		mark = `{"event":"ok","records":[[`
	}
	telling++
	place := strconv.FormatInt(offset, 10)
	if offset < 0 {
		place = "null"
	}
	waiting.WriteString(mark + strconv.FormatInt(id, 10) + "," + place + "," + strconv.FormatInt(at, 10) + "]")
	changed.Broadcast()
}

// end ends the line of outcomes that has none yet.
func end() {
	if telling > 0 {
		waiting.WriteString("]}\n")
	}
	telling = 0
}

func put(text string) {
	end()
	waiting.WriteString(text)
	waiting.WriteByte('\n')
	changed.Broadcast()
}

func await(fact func() bool) {
	lock.Lock()
	defer lock.Unlock()
	for !fact() {
		changed.Wait()
	}
}

// write writes everything that waits at once: who does not read makes nobody else wait.
func write() {
	for {
		await(func() bool { return waiting.Len() > 0 })
		lock.Lock()
		end()
		lines := bytes.Clone(waiting.Bytes())
		waiting.Reset()
		writing = true
		lock.Unlock()
		_, err := os.Stdout.Write(lines)
		heard(err)
		lock.Lock()
		writing = false
		changed.Broadcast()
		lock.Unlock()
	}
}
