package main

import (
	"context"
	"fmt"
	"os"

	"highwater/talk"

	"github.com/segmentio/kafka-go"
)

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
		handed := talk.Handed{Place: place, Offset: message.Offset, Key: message.Key, Value: message.Value}
		for _, header := range message.Headers {
			handed.Headers = append(handed.Headers, talk.Header(header))
		}
		if !g.handing.Put(ended, handed) {
			return
		}
	}
}
