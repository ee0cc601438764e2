package main

import (
	"context"
	"errors"
	"time"

	"highwater/talk"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func transactional(begin talk.Begin, ms func(string) time.Duration) []kgo.Opt {
	if !begin.Has(talk.ID) {
		return nil
	}
	return []kgo.Opt{kgo.TransactionalID(begin.Text(talk.ID)), kgo.TransactionTimeout(ms("transaction.timeout.ms"))}
}

func take(client *kgo.Client, step string) *talk.Demand {
	var err error
	switch step {
	case "begin":
		err = client.BeginTransaction()
	case "commit":
		err = client.EndTransaction(context.Background(), kgo.TryCommit)
	case "abort":
		if err = client.AbortBufferedRecords(context.Background()); err == nil {
			err = client.EndTransaction(context.Background(), kgo.TryAbort)
		}
	}
	if err == nil {
		return nil
	}
	demand := talk.Demand{Failure: failure(err), Demands: "close"}
	if step == "commit" && !errors.Is(err, kerr.ProducerFenced) {
		demand.Demands, demand.Unconfirmed = "abort", isUnconfirmed(err)
	}
	return &demand
}

// isUnconfirmed goes by what is written of EndTransaction: such a commit is to be aborted, and may have been done.
func isUnconfirmed(err error) bool {
	var answer *kerr.Error
	return !errors.As(err, &answer) || answer.Retriable || errors.Is(err, kerr.UnknownServerError)
}
