package talk

import "sync/atomic"

// ID is the setting that a producer in transactions has, and no other.
const ID = "transactional.id"

// Demand is how a library says that a step was not done: with what has to be done then (retry, abort or close), and
// whether the step may have been done all the same.
type Demand struct {
	Failure
	Demands     string
	Unconfirmed bool
}

var hasFailed atomic.Bool // a record of the open transaction

// take does a step. Before it commits all records have an outcome; a library in Go leaves it to its caller to abort
// where one of them has failed.
func take(producer Producer, step string) {
	var failed *Demand
	if step == "commit" {
		if producer.Flush != nil {
			producer.Flush()
		}
		await(func() bool { return open == 0 })
		if hasFailed.Load() {
			failed = &Demand{Failure{Name: "RecordFailed", Text: "a record of it was not acknowledged"}, "abort", false}
		}
	}
	if failed == nil {
		failed = producer.Step(step)
	}
	told := map[string]any{"event": "transaction", "step": step, "error": nil, "text": "", "code": nil, "demands": nil,
		"unconfirmed": false}
	if failed != nil {
		told["error"], told["text"], told["demands"] = failed.Name, failed.Text, failed.Demands
		told["unconfirmed"] = failed.Unconfirmed
		if failed.Code > 0 {
			told["code"] = failed.Code
		}
	} else if step != "begin" {
		await(func() bool { return open == 0 })
		hasFailed.Store(false)
	}
	told["at_ns"] = now()
	say(told)
}
