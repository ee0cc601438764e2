package talk

import (
	"bufio"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pollFor     = 50 * time.Millisecond
	commitEvery = 200 * time.Millisecond
)

// Membership is what a member of a group is told besides its settings.
type Membership struct {
	Group        string
	Topics       []string
	Commits      string
	ProcessingUs int64             `json:"processing_us"`
	AtOnce       int               `json:"at_once"`
	Headers      map[string]string // by which records are known: names by topics
}

// Place is a partition.
type Place struct {
	Topic     string
	Partition int
}

// Consumer is a library's. Commit waits for the answer, unless it is Silent; Generation is below 0 where it is not told.
type Consumer struct {
	Poll       func(wait time.Duration, most int) []Handed
	Commit     func(map[Place]int64) *Failure
	Generation func() int
	Close      func()
}

// Member polls, processes what it is handed, and commits it. Left and Assigned may be called by any goroutine.
type Member struct {
	begin    Begin
	consumer Consumer
	lock     sync.Mutex // of what follows
	ends     map[Place]int64
	held     map[Place]bool
}

func consume(library Library, begin Begin, in *bufio.Reader) {
	member := &Member{begin: begin, ends: map[Place]int64{}, held: map[Place]bool{}}
	member.lock.Lock() // nobody is assigned anything before it is ready
	consumer, err := library.Join(begin, member)
	heard(err)
	member.consumer = consumer
	say(map[string]any{"event": "ready"})
	member.lock.Unlock()
	var stopping atomic.Bool
	go func() {
		defer stopping.Store(true)
		for {
			text, err := in.ReadBytes('\n')
			var told struct{ Do string }
			if err != nil || json.Unmarshal(text, &told) != nil || told.Do == "stop" {
				return
			}
		}
	}()
	for committed := time.Now(); !stopping.Load(); {
		member.some()
		if time.Since(committed) >= commitEvery {
			member.lock.Lock()
			member.commit()
			member.lock.Unlock()
			committed = time.Now()
		}
	}
	member.lock.Lock()
	member.commit()
	member.lock.Unlock()
	consumer.Close()
}

// Assigned tells what the library says that it has been assigned, besides what it has.
func (m *Member) Assigned(places []Place) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for _, each := range places {
		m.held[each] = true
	}
	m.dealt("assigned", places)
}

// Left commits what was processed, before somebody else gets these, unless they are lost.
func (m *Member) Left(places []Place, isLost bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	event := "lost"
	if !isLost {
		event = "revoked"
		m.commit()
	}
	for _, each := range places {
		delete(m.held, each)
		delete(m.ends, each)
	}
	m.dealt(event, places)
}

func (m *Member) dealt(event string, places []Place) {
	named := [][]any{}
	for _, each := range places {
		named = append(named, []any{each.Topic, each.Partition})
	}
	var generation any
	if number := m.consumer.Generation(); number >= 0 {
		generation = number
	}
	say(map[string]any{"event": event, "at_ns": now(), "partitions": named, "generation": generation})
}

func (m *Member) some() {
	handed := m.consumer.Poll(pollFor, m.begin.AtOnce)
	if len(handed) == 0 {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	at, ends, places := now(), map[Place]int64{}, map[Place][][]any{}
	var spans [][]any
	for _, each := range handed {
		places[each.Place] = append(places[each.Place], m.told(each))
		ends[each.Place] = each.Offset + 1
		if last := len(spans) - 1; last >= 0 && spans[last][0] == each.Topic && spans[last][1] == each.Partition &&
			spans[last][3] == each.Offset {
			spans[last][3] = each.Offset + 1
		} else {
			spans = append(spans, []any{each.Topic, each.Partition, each.Offset, each.Offset + 1})
		}
	}
	for place, records := range places {
		say(map[string]any{"event": "polled", "at_ns": at, "topic": place.Topic, "partition": place.Partition, "records": records})
	}
	m.process(ends, spans, len(handed))
}
