"""The harness's hand at a foreign client: starts its adapter, has it send, and writes it down."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from highwater.adapters.dialogue import Dialogue, Order, recording, tell_clients
from highwater.adapters.flushing import Came, Flushing
from highwater.adapters.foreign.receiving import Receiving
from highwater.adapters.foreign.sending import Sending
from highwater.adapters.foreign.transacting import CannotGoOnError, InTransactions
from highwater.adapters.pace import AT_ONCE, TICK_S, Due, Teller
from highwater.adapters.spread import Spread
from highwater.harness.foreign import headers
from highwater.harness.foreign.abilities import (
    IDEMPOTENCE,
    LINGER,
    flushes,
    keeps_order,
    named,
    sends_once,
)
from highwater.harness.foreign.lines import MEMBER, MONOTONIC, PROTOCOL, BreachError, Event
from highwater.harness.foreign.talk import START_TIMEOUT_S, Hear, Talk
from highwater.harness.foreign.transactional import ID, TIMEOUT
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.workloads.pattern import Markings

MOST_OPEN = 50_000  # records without an outcome, of a load without a rate
MOST_WAITED_S = 45.0  # for outcomes: the harness gives a client that is to end a minute
MOST_SAID = 2_000  # characters of a line of the timeline
AFTER_DELIVERY_S = 5.0
MOST_LEAVING_S = 35.0  # a member: who is stuck is killed, and judged
OF_MEMBERS = ("group", "topics", "commits", "processing_us", "at_once")  # beside the settings


class Unasked:
    """The adapter's library looks up by itself who leads."""

    def await_metadata(self, wheres: list[TopicPartition]) -> None:
        """No need to."""


def write_down(order: Order, dialogue: Dialogue) -> None:
    """One life of an adapter; raises BreachError when that is not as the protocol has it.

    Whatever it raises, all that was heard by then is in the history.
    """
    with recording(order) as history:
        if order["role"] == MEMBER:
            _receive(order, dialogue, history)
        else:
            _load(order, dialogue, history)


@dataclass(frozen=True, slots=True)
class _Load:
    """Who sends: what it was told, with whom it talks, and what it has come to."""

    order: Order
    dialogue: Dialogue
    talk: Talk
    sending: Sending
    teller: Teller


def _load(order: Order, dialogue: Dialogue, history: History) -> None:
    sending = Sending(dict(order), history, sends_once=sends_once(order["told"]))
    with Talk(order["command"], _Heard(sending.hear, dialogue)) as talk:
        dialogue.say("spawned", pid=talk.pid)
        _begin(order, talk, dialogue)
        _promise(order, history, dialogue, keeps_order(talk.hello(), order["told"]))
        dialogue.say("ready")
        teller = Teller(order, dialogue, sending.tally)
        limit = _Limit(_most_s(order), dialogue, talk)
        load = _Load(order, dialogue, talk, sending, teller)
        try:
            if order["transactions"] is None:
                flushing = Flushing(
                    dialogue, history, lambda: _flush(load), own=flushes(talk.hello())
                )
                _send(load, flushing)
            else:
                _send_in_transactions(load)
            _end(talk, dialogue)
        except BreachError:
            if not limit.was_reached:
                raise
        finally:
            teller.tell()


def _most_s(order: Order) -> float:
    """How long its last outcomes may take; the end of a transaction is tried again and again."""
    if order["transactions"] is not None:
        return MOST_WAITED_S
    delivery_s: float = order["settings"]["delivery_timeout_s"]
    return min(delivery_s + AFTER_DELIVERY_S, MOST_WAITED_S)


def _receive(order: Order, dialogue: Dialogue, history: History) -> None:
    receiving = Receiving(order, history, dialogue)
    with Talk(order["command"], _Heard(receiving.hear, dialogue)) as talk:
        dialogue.say("spawned", pid=talk.pid)
        _begin(order, talk, dialogue)
        dialogue.say("ready")
        limit = _Limit(MOST_LEAVING_S, dialogue, talk)
        try:
            receiving.tell_until(talk, dialogue)
            _stop(talk, dialogue)
        except BreachError:
            if not limit.was_reached:
                raise
        finally:
            receiving.tell()


class _Heard:
    def __init__(self, hear: Hear, dialogue: Dialogue) -> None:
        self._hear = hear
        self._dialogue = dialogue

    def __call__(self, event: Event) -> None:
        if event["event"] in ("complaint", "fatal"):
            text = event["text"][:MOST_SAID] or "it says no more"
            self._dialogue.say(event["event"], text=text)
        self._hear(event)


def _begin(order: Order, talk: Talk, dialogue: Dialogue) -> None:
    hello, told = talk.hello(), dict(order["told"])
    if TIMEOUT in told:
        told[ID] = _transactional_id(order)
    dialogue.say("complaint", text=f"its library is {named(hello)}")
    if order["role"] == MEMBER and hello["clock"] != MONOTONIC:  # it may have been asked before
        raise BreachError(f"the clock of a member to be {MONOTONIC!r}", f"{hello['clock']!r}")
    talk.say(
        {
            "do": "begin",
            "protocol": PROTOCOL,
            "role": order["role"],
            "client": order["client"],
            "bootstrap": order["bootstrap"],
            "settings": told,
            **{name: order[name] for name in ("security", *OF_MEMBERS) if name in order},
            **_headers(order),
        }
    )
    talk.await_(
        lambda: talk.rules.is_ready or bool(talk.rules.fatal),
        "say that it is ready",
        START_TIMEOUT_S,
    )


def _headers(order: Order) -> dict[str, Any]:
    """Those by which the records of what a member reads are known."""
    told = headers.told(Markings(order.get("patterns", {})), order.get("topics", ()))
    return {"headers": told} if told else {}


def _transactional_id(order: Order) -> str:
    """That of the process before, if there was one: whose open transaction is thereby aborted."""
    told: str = order.get("transactional_id", order["client"])
    return told


def _promise(order: Order, history: History, dialogue: Dialogue, in_order: bool) -> None:
    history.promised(
        order["client"],
        "producer",
        client_id=order["client"],
        acks=order["settings"]["acks"],
        idempotence=bool(order["told"].get(IDEMPOTENCE, False)),
        keeps_order=in_order,
        linger_ms=order["told"].get(LINGER),
        group_id=None,
        **_promise_of_transactions(order),
    )
    tell_clients(history, dialogue)


def _promise_of_transactions(order: Order) -> dict[str, object]:
    if order["transactions"] is None:
        return {}
    return {
        "transactional_id": _transactional_id(order),
        "transaction_timeout_ms": order["told"][TIMEOUT],
    }


def _send(load: _Load, flushing: Flushing) -> None:
    """Send until told to stop; a rate goes on while nothing is acknowledged: an open loop."""
    order, dialogue, talk, sending = load.order, load.dialogue, load.talk, load.sending
    rate, unanswered = order["rate_per_s"], order["settings"]["unanswered"]
    if rate is None and unanswered is None:
        unanswered = MOST_OPEN
    due, spread = Due(rate, unanswered), Spread(order, dialogue, Unasked(), sending.patterns)
    while not load.teller.is_stopping and not talk.is_over and not talk.rules.fatal:
        where, left = spread.next(), due.by(time.monotonic(), sending.tally.ended)
        if left > 0:
            some = min(left, AT_ONCE)
            sending.send(talk, where, some, due.take(some))
        if left <= 0 or (left <= AT_ONCE and rate is not None):
            dialogue.stopping.wait(TICK_S)
        load.teller.look()
        flushing.look()


def _flush(load: _Load) -> Came:
    """Waits until it has said something, or will not."""
    load.sending.flushed = None
    load.talk.say({"do": "flush"})
    while (came_to := load.sending.flushed) is None:
        if load.talk.is_over or load.talk.rules.fatal:
            return Came(None, "it can do nothing more")
        if load.dialogue.stopping.wait(TICK_S):
            return Came(None, "it was told to stop")
        load.teller.look()
    return came_to


def _send_in_transactions(load: _Load) -> None:
    """The same, one transaction after the other; who cannot go on waits to be told to stop."""
    order, talk, dialogue = load.order, load.talk, load.dialogue
    spread = Spread(order, dialogue, Unasked(), load.sending.patterns)
    transactions = InTransactions(talk, load.sending, spread, load.teller, order["transactions"])
    try:
        transactions.send(Due(order["rate_per_s"]))
    except CannotGoOnError as error:
        talk.give_up(str(error))
        dialogue.say("fatal", text=f"it can send nothing more: {error}")


def _end(talk: Talk, dialogue: Dialogue) -> None:
    """All outcomes, and its last line; raises BreachError where that never comes."""
    while not talk.is_over and not dialogue.stopping.wait(TICK_S):
        continue  # who can do nothing more waits to be told to stop
    if not talk.rules.fatal:
        talk.say({"do": "flush"})
        talk.await_(lambda: talk.rules.has_flushed, "say that it has flushed", MOST_WAITED_S)
    _stop(talk, dialogue)


def _stop(talk: Talk, dialogue: Dialogue) -> None:
    talk.say({"do": "stop"})
    talk.await_(lambda: talk.is_over, "end", MOST_WAITED_S)
    if talk.wrong is not None:
        raise talk.wrong
    if open_ := _without_end(talk):
        dialogue.say("complaint", text=f"{open_} when it ended")


def _without_end(talk: Talk) -> str:
    """What nobody was answered, in words; empty where there is nothing."""
    records, positions = talk.rules.open, talk.rules.membership.unanswered
    told = [f"{records:,} records have no outcome"] if records else []
    told += [f"{positions:,} positions were to be committed and not answered"] if positions else []
    return " and ".join(told)


class _Limit:
    """An adapter that does not end is killed: nothing else ends the waiting for a full pipe.

    A client that is stuck is something to be judged: what has no outcome may be there.
    """

    def __init__(self, most_s: float, dialogue: Dialogue, talk: Talk) -> None:
        self._most_s = most_s
        self._dialogue, self._talk = dialogue, talk
        self.was_reached = False
        threading.Thread(target=self._watch, name="limit", daemon=True).start()

    def _watch(self) -> None:
        self._dialogue.stopping.wait()
        if not self._talk.awaits_end(self._most_s):
            self.was_reached = True
            open_ = _without_end(self._talk)
            text = f"it did not end within {self._most_s:g} s, and was killed"
            self._dialogue.say("complaint", text=f"{text}: {open_}" if open_ else text)
            self._talk.kill()
