// Command kafka_go makes kafka-go a client of Highwater: see docs/adapters.md.
package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"highwater/talk"

	"github.com/segmentio/kafka-go"
)

var acks = map[string]kafka.RequiredAcks{
	"all": kafka.RequireAll, "1": kafka.RequireOne, "0": kafka.RequireNone}

var codecs = map[string]kafka.Compression{
	"gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd}

func main() {
	talk.Run(talk.Library{
		Name: "kafka-go", Module: "github.com/segmentio/kafka-go",
		Settings: []string{"acks", "retries", "linger.ms", "compression.type", "request.timeout.ms",
			"max.request.size", "batch.num.messages"},
		Compression: []string{"gzip", "snappy", "lz4", "zstd"},
		Open:        open,
		Headers:     true,
		Member:      members,
		Join:        join,
	})
}

func open(begin talk.Begin) (talk.Producer, error) {
	writer := &kafka.Writer{
		Addr: kafka.TCP(strings.Split(begin.Bootstrap, ",")...), Transport: &kafka.Transport{ClientID: begin.Client},
		RequiredAcks: acks[begin.Text("acks")], MaxAttempts: begin.Number("retries") + 1,
		Balancer: kafka.BalancerFunc(func(message kafka.Message, _ ...int) int {
			return message.WriterData.(talk.Record).Partition
		}),
		Compression: codecs[begin.Text("compression.type")],
		BatchBytes:  int64(begin.Number("max.request.size")), BatchSize: begin.Number("batch.num.messages"),
		// 0 would mean its own second.
		BatchTimeout: max(time.Duration(begin.Number("linger.ms"))*time.Millisecond, time.Nanosecond),
		Async:        true, Completion: completed(begin.Text("acks") != "0"),
	}
	if begin.Has("request.timeout.ms") { // it goes by the second one of these where it writes, and awaits the answer
		writer.ReadTimeout = time.Duration(begin.Number("request.timeout.ms")) * time.Millisecond
		writer.WriteTimeout = writer.ReadTimeout
	}
	return talk.Producer{
		Produce: func(records []talk.Record) { send(writer, records) },
		Close:   func() { writer.Close() },
	}, nil
}

// send hands over all at once: either each is taken, or none, of which one too large is told apart by the library.
func send(writer *kafka.Writer, records []talk.Record) {
	messages := make([]kafka.Message, len(records))
	for at, each := range records {
		messages[at] = kafka.Message{Topic: each.Topic, Key: each.Key, Value: each.Value, WriterData: each}
		for _, header := range each.Headers {
			messages[at].Headers = append(messages[at].Headers, kafka.Header(header))
		}
	}
	for len(messages) > 0 {
		err := writer.WriteMessages(context.Background(), messages...)
		refused := messages
		messages = nil
		var large kafka.MessageTooLargeError
		if errors.As(err, &large) {
			refused, messages = []kafka.Message{large.Message}, large.Remaining
		}
		if err != nil {
			tell(refused, err, true)
		}
	}
}

func completed(hasOffsets bool) func([]kafka.Message, error) {
	return func(messages []kafka.Message, err error) {
		if err != nil {
			tell(messages, err, false)
			return
		}
		for _, each := range messages {
			offset := int64(-1)
			if hasOffsets {
				offset = each.Offset
			}
			talk.Acknowledged(each.WriterData.(talk.Record).ID, offset)
		}
	}
}

func tell(messages []kafka.Message, err error, refused bool) {
	failed := failure(err, refused)
	for _, each := range messages {
		talk.Failed(each.WriterData.(talk.Record).ID, failed)
	}
}

func failure(err error, refused bool) talk.Failure {
	failed := talk.Failure{Name: talk.Named(err), Text: err.Error(), Refused: refused}
	var answer kafka.Error
	if errors.As(err, &answer) {
		failed.Name, failed.Code, failed.Retriable = "kafka.Error", int16(answer), answer.Temporary()
	}
	return failed
}
