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

	"github.com/segmentio/kafka-go"
)

const (
	readFor = 100 * time.Millisecond // what a fetch may wait at a broker
	backOff = 500 * time.Millisecond // before it asks for a place again that it was refused
)

var members = []string{"auto.offset.reset", "isolation.level", "session.timeout.ms", "metadata.max.age.ms"}

// group is a member by the library's ConsumerGroup: a generation after the other, each with readers of its partitions.
type group struct {
	*kafka.ConsumerGroup
	member  *talk.Member
	reading kafka.ReaderConfig
	handing talk.Handing
	lock    sync.Mutex // of what follows
	current *kafka.Generation
}

func join(begin talk.Begin, member *talk.Member) (talk.Consumer, error) {
	ms := func(name string) time.Duration { return time.Duration(begin.Number(name)) * time.Millisecond }
	brokers, dialer := strings.Split(begin.Bootstrap, ","), &kafka.Dialer{ClientID: begin.Client, Timeout: 10 * time.Second, DualStack: true}
	start := kafka.FirstOffset
	if begin.Text("auto.offset.reset") == "latest" {
		start = kafka.LastOffset
	}
	isolation := kafka.ReadUncommitted
	if begin.Text("isolation.level") == "read_committed" {
		isolation = kafka.ReadCommitted
	}
	joined, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: begin.Group, Brokers: brokers, Dialer: dialer, Topics: begin.Topics, StartOffset: start,
		SessionTimeout: ms("session.timeout.ms"), HeartbeatInterval: ms("session.timeout.ms") / 10,
		WatchPartitionChanges: true, PartitionWatchInterval: ms("metadata.max.age.ms"), JoinGroupBackoff: backOff,
	})
	if err != nil {
		return talk.Consumer{}, err
	}
	g := &group{ConsumerGroup: joined, member: member, handing: make(talk.Handing),
		reading: kafka.ReaderConfig{Brokers: brokers, Dialer: dialer, MinBytes: 1, MaxBytes: 1 << 20,
			MaxWait: readFor, IsolationLevel: isolation}}
	go g.live()
	return talk.Consumer{Poll: g.handing.Poll, Commit: g.commit, Generation: g.generation, Close: func() { joined.Close() }}, nil
}

// live takes part in one generation after the other.
func (g *group) live() {
	for {
		next, err := g.Next(context.Background())
		if errors.Is(err, kafka.ErrGroupClosed) {
			return
		}
		if err != nil { // it tries again by itself
			fmt.Fprintln(os.Stderr, "no place in the group:", err)
			continue
		}
		g.lock.Lock()
		g.current = next
		g.lock.Unlock()
		places := []talk.Place{}
		for topic, assigned := range next.Assignments {
			for _, each := range assigned {
				places = append(places, talk.Place{Topic: topic, Partition: each.ID})
			}
		}
		g.member.Assigned(places)
		next.Start(func(ended context.Context) { // commits are still of this generation then
			<-ended.Done()
			if len(places) > 0 {
				g.member.Left(places, false)
			}
		})
		for topic, assigned := range next.Assignments {
			for _, each := range assigned {
				next.Start(func(ended context.Context) { g.read(ended, topic, each) })
			}
		}
	}
}

func (g *group) commit(asked map[talk.Place]int64) *talk.Failure {
	g.lock.Lock()
	defer g.lock.Unlock()
	offsets := map[string]map[int]int64{}
	for place, end := range asked {
		if offsets[place.Topic] == nil {
			offsets[place.Topic] = map[int]int64{}
		}
		offsets[place.Topic][place.Partition] = end
	}
	err := g.current.CommitOffsets(offsets)
	if err == nil {
		return nil
	}
	failed := failure(err, false)
	return &failed
}

func (g *group) generation() int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return int(g.current.ID)
}
