// Command sarama makes sarama a client of Highwater: see docs/adapters.md.
package main

import (
	"errors"
	"strings"
	"time"

	"highwater/talk"

	"github.com/IBM/sarama"
)

var acks = map[string]sarama.RequiredAcks{
	"all": sarama.WaitForAll, "1": sarama.WaitForLocal, "0": sarama.NoResponse}

var codecs = map[string]sarama.CompressionCodec{"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP,
	"snappy": sarama.CompressionSnappy, "lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD}

// What a library says of an answer after which it tries again, or asks for who leads.
var retriable = map[sarama.KError]bool{
	sarama.ErrInvalidMessage: true, sarama.ErrUnknownTopicOrPartition: true, sarama.ErrLeaderNotAvailable: true,
	sarama.ErrNotLeaderForPartition: true, sarama.ErrRequestTimedOut: true, sarama.ErrNotEnoughReplicas: true,
	sarama.ErrNotEnoughReplicasAfterAppend: true}

func main() {
	talk.Run(talk.Library{
		Name: "sarama", Module: "github.com/IBM/sarama",
		Settings: []string{"acks", "enable.idempotence", "retries", "linger.ms", "compression.type",
			"request.timeout.ms", "max.request.size", "max.in.flight.requests.per.connection", "batch.num.messages"},
		Compression: []string{"gzip", "snappy", "lz4", "zstd"},
		Open:        open, Transactions: true, KeepsOrder: true,
		Headers: true, Member: members, Join: join, Silent: true,
	})
}

func open(begin talk.Begin) (talk.Producer, error) {
	config := sarama.NewConfig()
	config.ClientID = begin.Client
	produces := &config.Producer
	produces.RequiredAcks, produces.Compression = acks[begin.Text("acks")], codecs[begin.Text("compression.type")]
	produces.Idempotent, produces.Retry.Max = begin.IsOn("enable.idempotence"), begin.Number("retries")
	produces.Partitioner = sarama.NewManualPartitioner
	produces.Return.Successes, produces.Return.Errors = true, true
	produces.MaxMessageBytes = begin.Number("max.request.size") // of a record, and of a batch
	produces.Flush.Frequency = time.Duration(begin.Number("linger.ms")) * time.Millisecond
	produces.Flush.MaxMessages = begin.Number("batch.num.messages")
	config.Net.MaxOpenRequests = begin.Number("max.in.flight.requests.per.connection")
	if produces.Idempotent {
		config.Net.MaxOpenRequests = 1 // it takes no other
	}
	if begin.Has("request.timeout.ms") { // what a broker may take is not to be longer than what is waited for it
		produces.Timeout = time.Duration(begin.Number("request.timeout.ms")) * time.Millisecond
		config.Net.ReadTimeout = produces.Timeout
	}
	transactional(begin, config)
	producer, err := sarama.NewAsyncProducer(strings.Split(begin.Bootstrap, ","), config)
	if err != nil {
		return talk.Producer{}, err
	}
	go hear(producer, produces.RequiredAcks != sarama.NoResponse)
	go func() {
		for failed := range producer.Errors() {
			talk.Failed(failed.Msg.Metadata.(int64), failure(failed.Err))
		}
	}()
	return talk.Producer{
		Produce: func(records []talk.Record) {
			for _, each := range records {
				producer.Input() <- message(each)
			}
		},
		Step:  func(step string) *talk.Demand { return take(producer, step) },
		Close: producer.AsyncClose, // all have an outcome
	}, nil
}

func hear(producer sarama.AsyncProducer, hasOffsets bool) {
	for sent := range producer.Successes() {
		if hasOffsets {
			talk.Acknowledged(sent.Metadata.(int64), sent.Offset)
		} else {
			talk.Acknowledged(sent.Metadata.(int64), -1)
		}
	}
}

func message(record talk.Record) *sarama.ProducerMessage {
	made := &sarama.ProducerMessage{Topic: record.Topic, Partition: int32(record.Partition),
		Value: sarama.ByteEncoder(record.Value), Metadata: record.ID}
	if record.Key != nil {
		made.Key = sarama.ByteEncoder(record.Key)
	}
	for _, each := range record.Headers {
		made.Headers = append(made.Headers, sarama.RecordHeader{Key: []byte(each.Key), Value: each.Value})
	}
	return made
}

func failure(err error) talk.Failure {
	failed := talk.Failure{Name: talk.Named(err), Text: err.Error()}
	var answer sarama.KError
	if errors.As(err, &answer) {
		failed.Name, failed.Code, failed.Retriable = "KError", int16(answer), retriable[answer]
	}
	// It has this for a record that it does not take, before it is part of any batch.
	var refused sarama.ConfigurationError
	failed.Refused = errors.As(err, &refused)
	return failed
}
