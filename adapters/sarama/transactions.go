package main

import (
	"time"

	"highwater/talk"

	"github.com/IBM/sarama"
)

func transactional(begin talk.Begin, config *sarama.Config) {
	if begin.Has(talk.ID) {
		config.Producer.Transaction.ID = begin.Text(talk.ID)
		config.Producer.Transaction.Timeout = time.Duration(begin.Number("transaction.timeout.ms")) * time.Millisecond
	}
}

// take goes by the state that the library says it is in after an error: what is neither abortable nor fatal may be
// called again, as its own example does.
func take(producer sarama.AsyncProducer, step string) *talk.Demand {
	call := map[string]func() error{
		"begin": producer.BeginTxn, "commit": producer.CommitTxn, "abort": producer.AbortTxn}[step]
	err := call()
	if err == nil {
		return nil
	}
	demand := talk.Demand{Failure: failure(err), Demands: "retry", Unconfirmed: true}
	switch status := producer.TxnStatus(); {
	case status&sarama.ProducerTxnFlagFatalError != 0:
		demand.Demands = "close"
	case status&sarama.ProducerTxnFlagAbortableError != 0:
		demand.Demands, demand.Unconfirmed = "abort", demand.Code <= 0
	}
	return &demand
}
