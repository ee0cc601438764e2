package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"highwater/talk"

	"github.com/segmentio/kafka-go"
)

// handed is a record of a generation, which may have ended since.
type handed struct {
	talk.Handed
	ended context.Context
}

func (g *group) read(ended context.Context, topic string, assigned kafka.PartitionAssignment) {
	config := g.reading
	config.Topic, config.Partition = topic, assigned.ID
	reader := kafka.NewReader(config)
	defer reader.Close()
	reader.SetOffset(assigned.Offset)
	for {
		message, err := reader.ReadMessage(ended)
		if err != nil { // the generation is over, or ends with this: in the next one it begins at what is committed
			fmt.Fprintf(os.Stderr, "reading %s-%d: %s\n", topic, assigned.ID, err)
			return
		}
		place := talk.Place{Topic: topic, Partition: assigned.ID}
		one := talk.Handed{Place: place, Offset: message.Offset, Key: message.Key, Value: message.Value}
		select {
		case g.handed <- handed{one, ended}:
		case <-ended.Done():
			return
		}
	}
}

func (g *group) poll(wait time.Duration, most int) []talk.Handed {
	some, over := []handed{}, time.After(wait)
	for isOver := false; len(some) < most && !isOver; {
		select {
		case one := <-g.handed:
			some = append(some, one)
		case <-over:
			isOver = true
		}
	}
	found := []talk.Handed{} // those of a generation that is over are handed out again
	for _, each := range some {
		if each.ended.Err() == nil {
			found = append(found, each.Handed)
		}
	}
	return found
}
