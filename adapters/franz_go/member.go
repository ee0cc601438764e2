package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"highwater/talk"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const commitFor = 30 * time.Second // who is told to stop ends within 45

var members = []string{"auto.offset.reset", "isolation.level", "session.timeout.ms", "group.instance.id", "metadata.max.age.ms"}

func join(begin talk.Begin, member *talk.Member) (talk.Consumer, error) {
	ms := func(name string) time.Duration { return time.Duration(begin.Number(name)) * time.Millisecond }
	start := kgo.NewOffset().AtStart()
	if begin.Text("auto.offset.reset") == "latest" {
		start = kgo.NewOffset().AtEnd()
	}
	isolation := kgo.ReadUncommitted()
	if begin.Text("isolation.level") == "read_committed" {
		isolation = kgo.ReadCommitted()
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(begin.Bootstrap, ",")...), kgo.ClientID(begin.Client),
		kgo.ConsumerGroup(begin.Group), kgo.ConsumeTopics(begin.Topics...), kgo.ConsumeResetOffset(start),
		kgo.FetchIsolationLevel(isolation), kgo.SessionTimeout(ms("session.timeout.ms")),
		kgo.HeartbeatInterval(ms("session.timeout.ms") / 10), kgo.DisableAutoCommit(),
		kgo.MetadataMaxAge(ms("metadata.max.age.ms")), kgo.MetadataMinAge(ms("metadata.max.age.ms") / 2),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, some map[string][]int32) { member.Assigned(places(some)) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, some map[string][]int32) { left(member, some, false) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, some map[string][]int32) { left(member, some, true) }),
	}
	if begin.Has("group.instance.id") {
		options = append(options, kgo.InstanceID(begin.Text("group.instance.id")))
	}
	secured, err := security(begin.Security)
	if err != nil {
		return talk.Consumer{}, err
	}
	client, err := kgo.NewClient(append(options, secured...)...)
	if err != nil {
		return talk.Consumer{}, err
	}
	return talk.Consumer{
		Poll:   func(wait time.Duration, most int) []talk.Handed { return poll(client, wait, most) },
		Commit: func(asked map[talk.Place]int64) *talk.Failure { return commit(client, asked) },
		Generation: func() int {
			_, generation := client.GroupMetadata()
			return int(generation)
		},
		Close: client.Close,
	}, nil
}

func left(member *talk.Member, some map[string][]int32, isLost bool) {
	if given := places(some); len(given) > 0 {
		member.Left(given, isLost)
	}
}

func places(some map[string][]int32) []talk.Place {
	found := []talk.Place{}
	for topic, partitions := range some {
		for _, each := range partitions {
			found = append(found, talk.Place{Topic: topic, Partition: int(each)})
		}
	}
	return found
}

func poll(client *kgo.Client, wait time.Duration, most int) []talk.Handed {
	limited, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	found := []talk.Handed{}
	client.PollRecords(limited, most).EachRecord(func(each *kgo.Record) {
		place := talk.Place{Topic: each.Topic, Partition: int(each.Partition)}
		handed := talk.Handed{Place: place, Offset: each.Offset, Key: each.Key, Value: each.Value}
		for _, header := range each.Headers {
			handed.Headers = append(handed.Headers, talk.Header(header))
		}
		found = append(found, handed)
	})
	return found
}

func commit(client *kgo.Client, asked map[talk.Place]int64) *talk.Failure {
	limited, cancel := context.WithTimeout(context.Background(), commitFor)
	defer cancel()
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for place, end := range asked {
		if offsets[place.Topic] == nil {
			offsets[place.Topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[place.Topic][int32(place.Partition)] = kgo.EpochOffset{Epoch: -1, Offset: end}
	}
	var wrong error
	client.CommitOffsetsSync(limited, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, said *kmsg.OffsetCommitResponse, err error) {
		wrong = err
		if err != nil {
			return
		}
		for _, topic := range said.Topics {
			for _, each := range topic.Partitions {
				wrong = errors.Join(wrong, kerr.ErrorForCode(each.ErrorCode))
			}
		}
	})
	if wrong == nil {
		return nil
	}
	failed := failure(wrong)
	return &failed
}
