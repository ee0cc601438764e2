// Package talk has what adapters in Go share: lines, clock, and ids of records. See docs/adapters.md.
package talk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Begin is what a client is to be, with settings in Kafka's words: of each one that its library can do.
type Begin struct {
	Role      string
	Client    string
	Bootstrap string
	Settings  map[string]any
	Membership
}

func (b Begin) Has(name string) bool    { return b.Settings[name] != nil }
func (b Begin) Number(name string) int  { return int(b.Settings[name].(float64)) }
func (b Begin) Text(name string) string { return b.Settings[name].(string) }
func (b Begin) IsOn(name string) bool   { return b.Settings[name].(bool) }

// Record is one that is to be sent, to this partition.
type Record struct {
	ID         int64
	Topic      string
	Partition  int
	Key, Value []byte
}

// Failure is how a library says that a record is not acknowledged; Code is Kafka's, 0 where there is none.
type Failure struct {
	Name               string
	Text               string
	Code               int16
	Retriable, Refused bool
}

// Library is a client of Kafka: its name, the Go module whose version it has, and what it can be set to.
type Library struct {
	Name, Module          string
	Settings, Compression []string
	Open                  func(Begin) (Producer, error)
	Member                []string // what a member of a group can be set to; nil where it cannot be one
	Join                  func(Begin, *Member) (Consumer, error)
}

// Producer tells an outcome of each record (Acknowledged or Failed), from any goroutine.
type Producer struct {
	Produce func([]Record) // all of one partition
	Flush   func()         // nil where the library has none: all outcomes are awaited in any case
	Close   func()
}

// Acknowledged tells an offset; below 0 where the library was told none.
func Acknowledged(id, offset int64) {
	place := fmt.Sprint(offset)
	if offset < 0 {
		place = "null"
	}
	ended(fmt.Sprintf(`{"event":"ok","records":[[%d,%s,%d]]}`, id, place, now()))
}

func Failed(id int64, f Failure) {
	var code any
	if f.Code != 0 {
		code = f.Code
	}
	ended(line(map[string]any{"event": "error", "error": f.Name, "text": f.Text, "code": code,
		"retriable": f.Retriable, "refused": f.Refused, "records": [][2]int64{{id, now()}}}))
}

// Named is the type of the innermost error: a name, in a language whose errors have none.
func Named(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}

// Run is the whole adapter.
func Run(library Library) {
	go write()
	able := map[string]any{"roles": []string{"producer"}, "settings": library.Settings, "compression": library.Compression}
	if library.Join != nil {
		able["roles"], able["member"] = []string{"producer", "member"}, library.Member
	}
	say(map[string]any{"event": "hello", "protocol": 1, "library": library.Name, "version": version(library.Module),
		"clock": "monotonic", "at_ns": now(), "capabilities": able})
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	if first, err := in.ReadBytes('\n'); err == nil {
		var begin Begin
		heard(json.Unmarshal(first, &begin))
		if begin.Role == "member" {
			consume(library, begin, in)
		} else {
			produce(library, begin, in)
		}
	}
	say(map[string]any{"event": "ended"})
	await(func() bool { return waiting.Len() == 0 && !writing })
}

func produce(library Library, begin Begin, in *bufio.Reader) {
	producer, err := library.Open(begin)
	heard(err)
	say(map[string]any{"event": "ready"})
	for {
		text, err := in.ReadBytes('\n')
		var told struct {
			Do, Topic string
			First     int64
			Partition int
			Values    []string
			Keys      []*string
		}
		if err == nil {
			heard(json.Unmarshal(text, &told))
		}
		switch {
		case told.Do == "produce":
			records := make([]Record, len(told.Values))
			for at, value := range told.Values {
				records[at] = Record{told.First + int64(at), told.Topic, told.Partition, nil, []byte(value)}
				if told.Keys != nil && told.Keys[at] != nil {
					records[at].Key = []byte(*told.Keys[at])
				}
			}
			lock.Lock()
			open += len(records)
			lock.Unlock()
			producer.Produce(records)
			continue
		case producer.Flush != nil:
			producer.Flush()
		}
		await(func() bool { return open == 0 })
		if told.Do != "flush" {
			producer.Close()
			return
		}
		say(map[string]any{"event": "flushed", "at_ns": now()})
	}
}
