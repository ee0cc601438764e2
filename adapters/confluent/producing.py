"""A producer that sends at a rate, or as fast as it is let, until it is told to stop."""

from __future__ import annotations

import time

from confluent_kafka import KafkaException

from highwater.adapters.confluent.transacting import InTransactions
from highwater.adapters.dialogue import Dialogue, Order, recording, tell_clients
from highwater.adapters.flushing import Came, Flushing
from highwater.adapters.pace import AT_ONCE, TICK_S, Due, Teller
from highwater.adapters.spread import Spread
from highwater.harness.errors import InfrastructureError
from highwater.harness.record.history import History
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import Named, ProducerSettings, RecordingProducer
from highwater.harness.workloads.transactions import TransactionalProducer


def produce(order: Order, dialogue: Dialogue) -> None:
    """The role "producer"."""
    send = _send_alone if order["transactions"] is None else _send_in_transactions
    with recording(order) as history:
        try:
            send(order, dialogue, history)
        except (KafkaException, InfrastructureError) as error:
            # Fatal: nothing can be sent any more. That is evidence, and no accident.
            dialogue.say("fatal", text=f"it can send nothing more: {error}")
            dialogue.stopping.wait()


def _send_alone(order: Order, dialogue: Dialogue, history: History) -> None:
    """Each record by itself."""
    settings = ProducerSettings(**order["settings"])
    values, named = Values(order["first_value"]), Named(order["client"])
    with RecordingProducer(order["bootstrap"], history, settings, values, named=named) as producer:
        tell_clients(history, dialogue)
        spread = Spread(order, dialogue, producer, history.patterns)
        producer.await_metadata(spread.wheres)
        dialogue.say("ready")
        teller = Teller(order, dialogue, producer.tally)
        flushing = Flushing(dialogue, history, lambda: _flush(producer), own=True)
        due = Due(order["rate_per_s"], settings.unanswered)
        try:
            _send(producer, spread, due, teller, flushing)
            producer.flush()
        finally:
            teller.tell()


def _send_in_transactions(order: Order, dialogue: Dialogue, history: History) -> None:
    settings = ProducerSettings(**order["settings"])
    values = Values(order["first_value"])
    named = Named(order["client"], transactional_id=order.get("transactional_id", ""))
    with TransactionalProducer(
        order["bootstrap"], history, values, settings, named=named
    ) as producer:
        tell_clients(history, dialogue)
        dialogue.say("ready")
        teller = Teller(order, dialogue, producer.tally)
        try:
            spread = Spread(order, dialogue, producer, history.patterns)
            transactions = InTransactions(producer, spread, teller, **order["transactions"])
            transactions.send(Due(order["rate_per_s"]))
        finally:
            teller.tell()


def _flush(producer: RecordingProducer) -> Came:
    """When librdkafka had flushed, or ceased to wait before."""
    waiting = producer.flush()
    return Came(time.monotonic_ns(), f"{waiting:,} records still wait" if waiting else "")


def _send(
    producer: RecordingProducer, spread: Spread, due: Due, teller: Teller, flushing: Flushing
) -> None:
    """Send until told to stop; a rate goes on while nothing is acknowledged: an open loop.

    With so many that may be unanswered the next one waits until one of them has ended.
    """
    while not teller.is_stopping:
        where, left = spread.next(), due.by(time.monotonic(), producer.tally.ended)
        if left > 0:
            some = min(left, AT_ONCE)
            producer.send(where, some, due.take(some))
        producer.poll(0 if left > AT_ONCE else TICK_S)
        teller.look()
        flushing.look()
