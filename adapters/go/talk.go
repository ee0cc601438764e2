// Package talk has what adapters in Go share: lines, clock, and ids of records. See docs/adapters.md.
package talk

import (
	"bufio"
	"encoding/json"
	"os"
)

// Begin is what a client is to be, with settings in Kafka's words: of each one that its library can do.
type Begin struct {
	Role      string
	Client    string
	Bootstrap string
	Settings  map[string]any
	Security  *Security
	Membership
}

// Security is how brokers want to be spoken to; files are PEM, and an empty text is none.
type Security struct {
	Protocol, Mechanism, Username, Password, Authorities, Certificate, Key string
	ChecksHost                                                             bool `json:"checks_host"`
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
	Headers    []Header // one, where records are known by it
}

// Library is a client of Kafka: its name, the Go module whose version it has, and what it can be set to.
type Library struct {
	Name, Module          string
	Settings, Compression []string
	Open                  func(Begin) (Producer, error)
	Member                []string // what a member of a group can be set to; nil where it cannot be one
	Join                  func(Begin, *Member) (Consumer, error)
	Silent                bool // whether it tells nobody what becomes of a commit, so that members leave these to it
	Transactions, Flushes bool // whether it has these, and a Flush of its own
	Pipelines             bool // whether several requests of one partition are under way at once
	KeepsOrder            bool // whether it promises the order of records of a partition, where idempotent
	Security              []string
	Headers               bool // of records
}

// Producer tells an outcome of each record (Acknowledged or Failed), from any goroutine.
type Producer struct {
	Produce func([]Record)            // all of one partition
	Flush   func()                    // nil where the library has none: the adapter waits for all outcomes then
	Step    func(step string) *Demand // of a transaction; nil when it was done
	Close   func()
}

// Run is the whole adapter.
func Run(library Library) {
	go write()
	able := map[string]any{"roles": []string{"producer"}, "settings": library.Settings, "compression": library.Compression}
	if library.Join != nil {
		able["roles"], able["member"], able["tells_commits"] = []string{"producer", "member"}, library.Member, !library.Silent
	}
	if library.Transactions {
		able["transactions"] = []string{ID, "transaction.timeout.ms"}
	}
	if library.Flushes {
		able["flush"] = true
	}
	if library.Headers {
		able["headers"] = able["roles"]
	}
	able["pipelines"], able["keeps_order"] = library.Pipelines, library.KeepsOrder
	if library.Security != nil {
		able["security"] = library.Security
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
			Do, Topic, Step string
			First           int64
			Partition       int
			Values          []string
			Keys            []*string
			Header          string
			Headers         []string
		}
		if err == nil {
			heard(json.Unmarshal(text, &told))
		}
		switch {
		case told.Do == "produce":
			records := make([]Record, len(told.Values))
			for at, value := range told.Values {
				records[at] = Record{told.First + int64(at), told.Topic, told.Partition, nil, []byte(value), nil}
				if told.Keys != nil && told.Keys[at] != nil {
					records[at].Key = []byte(*told.Keys[at])
				}
				if told.Headers != nil {
					records[at].Headers = []Header{{told.Header, []byte(told.Headers[at])}}
				}
			}
			lock.Lock()
			open += len(records)
			lock.Unlock()
			producer.Produce(records)
			continue
		case told.Do == "transaction":
			take(producer, told.Step)
			continue
		case producer.Flush != nil:
			producer.Flush()
		}
		if told.Do != "flush" || !library.Flushes { // else what has no outcome then is for the judge
			await(func() bool { return open == 0 })
		}
		if told.Do != "flush" {
			producer.Close()
			return
		}
		say(map[string]any{"event": "flushed", "at_ns": now()})
	}
}
