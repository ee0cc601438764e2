// Command franz_go makes franz-go a client of Highwater: see docs/adapters.md.
package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"highwater/talk"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var acks = map[string]kgo.Acks{"all": kgo.AllISRAcks(), "1": kgo.LeaderAck(), "0": kgo.NoAck()}

var codecs = map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
	"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}

func main() {
	talk.Run(talk.Library{
		Name: "franz-go", Module: "github.com/twmb/franz-go",
		Settings: []string{"acks", "enable.idempotence", "linger.ms", "compression.type", "delivery.timeout.ms",
			"request.timeout.ms", "batch.size", "max.in.flight.requests.per.connection"},
		Compression: []string{"gzip", "snappy", "lz4", "zstd"},
		Open:        open, Transactions: true, Flushes: true, Pipelines: true,
		Security: able, Headers: true, Member: members,
		Join: join,
	})
}

func open(begin talk.Begin) (talk.Producer, error) {
	ms := func(name string) time.Duration { return time.Duration(begin.Number(name)) * time.Millisecond }
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(begin.Bootstrap, ",")...), kgo.ClientID(begin.Client),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RequiredAcks(acks[begin.Text("acks")]),
		kgo.RecordDeliveryTimeout(ms("delivery.timeout.ms")), kgo.ProducerLinger(ms("linger.ms")),
		kgo.ProducerBatchCompression(codecs[begin.Text("compression.type")]),
		kgo.ProducerBatchMaxBytes(int32(min(begin.Number("batch.size"), math.MaxInt32))),
	}
	if !begin.IsOn("enable.idempotence") { // with it, the library has five, or one on brokers before 1.0
		options = append(options, kgo.DisableIdempotentWrite(),
			kgo.MaxProduceRequestsInflightPerBroker(begin.Number("max.in.flight.requests.per.connection")))
	}
	if begin.Has("request.timeout.ms") { // what a broker may take, and what the network may besides, are two to it
		half := ms("request.timeout.ms") / 2
		options = append(options, kgo.ProduceRequestTimeout(half), kgo.RequestTimeoutOverhead(half))
	}
	secured, err := security(begin.Security)
	if err != nil {
		return talk.Producer{}, err
	}
	options = append(append(options, transactional(begin, ms)...), secured...)
	client, err := kgo.NewClient(options...)
	if err != nil {
		return talk.Producer{}, err
	}
	if begin.Has(talk.ID) { // which it would ask for with its first record: whoever had the id is fenced now
		if _, _, err := client.ProducerID(context.Background()); err != nil {
			return talk.Producer{}, err
		}
	}
	hasOffsets := begin.Text("acks") != "0"
	return talk.Producer{
		Produce: func(records []talk.Record) {
			for _, each := range records {
				send(client, each, hasOffsets)
			}
		},
		Flush: func() { client.Flush(context.Background()) },
		Step:  func(step string) *talk.Demand { return take(client, step) },
		Close: client.Close,
	}, nil
}

func send(client *kgo.Client, told talk.Record, hasOffsets bool) {
	record := &kgo.Record{Topic: told.Topic, Partition: int32(told.Partition), Key: told.Key, Value: told.Value}
	for _, each := range told.Headers {
		record.Headers = append(record.Headers, kgo.RecordHeader(each))
	}
	client.Produce(context.Background(), record, func(sent *kgo.Record, err error) {
		switch {
		case err != nil:
			talk.Failed(told.ID, failure(err))
		case hasOffsets:
			talk.Acknowledged(told.ID, sent.Offset)
		default:
			talk.Acknowledged(told.ID, -1)
		}
	})
}

// failure never says that a record was refused: the library's call takes each one, and tells what is wrong later.
func failure(err error) talk.Failure {
	failed := talk.Failure{Name: talk.Named(err), Text: err.Error(), Retriable: kerr.IsRetriable(err)}
	var answer *kerr.Error
	// A timeout holds the last answer, which says nothing of the attempts before.
	if errors.As(err, &answer) && !errors.Is(err, kgo.ErrRecordTimeout) {
		failed.Name, failed.Code = answer.Message, answer.Code
	}
	return failed
}
