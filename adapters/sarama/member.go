package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"highwater/talk"

	"github.com/IBM/sarama"
)

const readFor = 100 * time.Millisecond // what a fetch may wait at a broker

var members = []string{"auto.offset.reset", "isolation.level", "session.timeout.ms", "group.instance.id",
	"metadata.max.age.ms", "enable.auto.commit", "auto.commit.interval.ms"}

// group is a member by the library's ConsumerGroup: one session, which is a generation, after the other.
type group struct {
	member  *talk.Member
	handing talk.Handing
	lock    sync.Mutex // of what follows
	current sarama.ConsumerGroupSession
}

func join(begin talk.Begin, member *talk.Member) (talk.Consumer, error) {
	ms := func(name string) time.Duration { return time.Duration(begin.Number(name)) * time.Millisecond }
	config := sarama.NewConfig()
	config.ClientID, config.Metadata.RefreshFrequency = begin.Client, ms("metadata.max.age.ms")
	reads := &config.Consumer
	reads.Group.Session.Timeout, reads.Group.Heartbeat.Interval = ms("session.timeout.ms"), ms("session.timeout.ms")/10
	if begin.Has("group.instance.id") {
		reads.Group.InstanceId = begin.Text("group.instance.id")
		if !config.Version.IsAtLeast(sarama.V2_3_0_0) { // as by the default of older ones, which refuse it then
			config.Version = sarama.V2_3_0_0
		}
	}
	reads.Offsets.Initial = sarama.OffsetOldest
	if begin.Text("auto.offset.reset") == "latest" {
		reads.Offsets.Initial = sarama.OffsetNewest
	}
	if begin.Text("isolation.level") == "read_committed" {
		reads.IsolationLevel = sarama.ReadCommitted
	}
	reads.Offsets.AutoCommit.Enable, reads.Offsets.AutoCommit.Interval = true, ms("auto.commit.interval.ms")
	reads.MaxWaitTime, reads.Return.Errors = readFor, true
	joined, err := sarama.NewConsumerGroup(strings.Split(begin.Bootstrap, ","), begin.Group, config)
	if err != nil {
		return talk.Consumer{}, err
	}
	g := &group{member: member, handing: make(talk.Handing)}
	go func() {
		for failed := range joined.Errors() {
			fmt.Fprintln(os.Stderr, failed)
		}
	}()
	go func() {
		for !errors.Is(err, sarama.ErrClosedConsumerGroup) {
			if err = joined.Consume(context.Background(), begin.Topics, g); err != nil { // it is to be called again
				fmt.Fprintln(os.Stderr, "no place in the group:", err)
			}
		}
	}()
	return talk.Consumer{Poll: g.handing.Poll, Commit: g.mark, Generation: g.generation, Close: func() { joined.Close() }}, nil
}

// Setup is called before any partition is read.
func (g *group) Setup(session sarama.ConsumerGroupSession) error {
	g.lock.Lock()
	g.current = session
	g.lock.Unlock()
	g.member.Assigned(places(session))
	return nil
}

// Cleanup is called before the library commits what is marked for the last time.
func (g *group) Cleanup(session sarama.ConsumerGroupSession) error {
	if given := places(session); len(given) > 0 {
		g.member.Left(given, false)
	}
	return nil
}

func (g *group) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	place := talk.Place{Topic: claim.Topic(), Partition: int(claim.Partition())}
	for each := range claim.Messages() {
		handed := talk.Handed{Place: place, Offset: each.Offset, Key: each.Key, Value: each.Value}
		for _, header := range each.Headers {
			handed.Headers = append(handed.Headers, talk.Header{Key: string(header.Key), Value: header.Value})
		}
		if !g.handing.Put(session.Context(), handed) {
			break
		}
	}
	return nil
}

// mark leaves it to the library to commit these, and nobody is told what becomes of that.
func (g *group) mark(asked map[talk.Place]int64) *talk.Failure {
	g.lock.Lock()
	defer g.lock.Unlock()
	for place, end := range asked {
		g.current.MarkOffset(place.Topic, int32(place.Partition), end, "")
	}
	return nil
}

func (g *group) generation() int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return int(g.current.GenerationID())
}

func places(session sarama.ConsumerGroupSession) []talk.Place {
	found := []talk.Place{}
	for topic, claimed := range session.Claims() {
		for _, each := range claimed {
			found = append(found, talk.Place{Topic: topic, Partition: int(each)})
		}
	}
	return found
}
