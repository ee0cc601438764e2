"""Producers that a play tells what to do, and that do nothing by themselves; one lives at a time.

Each step is answered: by `done`, with how the records of calls to send have ended, or `refused`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import Any

from confluent_kafka import KafkaException

from highwater.adapters.dialogue import Dialogue, Order, recording, tell_clients
from highwater.harness.errors import HighwaterError, InfrastructureError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.probes.security import Security, secure
from highwater.harness.record.history import History
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import Named, ProducerSettings, RecordingProducer
from highwater.harness.workloads.reaching import addresses_of
from highwater.harness.workloads.sent import Sending
from highwater.harness.workloads.transactions import TransactionalProducer

TICK_S = 0.005
STDERR = 2
IDLE_S = 0.05  # while no producer lives
UNWAITED: dict[str, Any] = {"waiting": 0, "acked": 0, "span": None, "failed": [], "unknown": []}


class Given(Values):
    """Identities as the harness gives them, with each step."""

    def give(self, first: int) -> None:
        self._next = first


class Alone:
    """Sends without transactions."""

    def __init__(self, producer: RecordingProducer, given: Given) -> None:
        self._producer = producer
        self._given = given
        self._sendings: dict[int, Sending] = {}
        self.poll: Callable[[float], None] = producer.poll

    def take(self, step: Order) -> None:
        """Of these steps: know, send, look, flush."""
        match step["do"]:
            case "know":
                self._producer.await_metadata([TopicPartition(*step["where"])])
            case "send":
                self._given.give(step["first_value"])
                sending = self._producer.send(TopicPartition(*step["where"]), step["count"])
                self._sendings[step["number"]] = sending
            case "look":
                self._producer.poll(0)
            case _:
                self._producer.flush()

    def told(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """Of each call to send how its records have ended, until all have."""
        for number, sending in [*self._sendings.items()]:
            told = sending.told()
            if not told["waiting"]:
                del self._sendings[number]
            yield number, told


class InSteps:
    """Sends in transactions, which end when that is said."""

    def __init__(self, producer: TransactionalProducer, given: Given) -> None:
        self._producer = producer
        self._given = given
        self._open: list[int] = []  # numbers of calls to send
        self.poll: Callable[[float], None] = producer.poll

    def take(self, step: Order) -> None:
        """Of these steps: begin, send, look, commit, abort, renew."""
        match step["do"]:
            case "send":
                self._given.give(step["first_value"])
                self._open.append(step["number"])
                self._producer.send(TopicPartition(*step["where"]), wait=step["wait"])
            case "look":
                self._producer.poll(0)
            case "begin":
                self._producer.begin()
            case "commit":
                self._producer.commit()
            case "abort":
                self._producer.abort()
            case _:
                self._producer.renew()

    def told(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """Of those whose transaction has ended that nothing is waited for any more."""
        if not self._producer.is_open:
            yield from ((number, UNWAITED) for number in self._open)
            self._open.clear()


class Stepper:
    """Takes steps, one after the other; a play may come after another one."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._given = Given()
        self._plays, self._life = ExitStack(), ExitStack()
        self._history: History | None = None
        self._producer: Alone | InSteps | None = None

    def take(self, step: Order) -> None:
        """Raises what is wrong with the program; what is wrong with Kafka is an answer."""
        producer, answer = self._producer, {"event": "done"}
        try:
            self._take(step, producer)
        except (HighwaterError, KafkaException) as error:
            known = error if isinstance(error, HighwaterError) else InfrastructureError()
            answer = {"event": "refused", "kind": type(known).__name__, "text": str(error)}
        sent = [] if producer is None else [*producer.told()]
        self._dialogue.say(**answer, step=step["step"], sent=sent)

    def begin(self, order: Order) -> None:
        """What follows is of this record."""
        self._history = self._plays.enter_context(recording(order))

    def await_step(self) -> Order | None:
        """The next one, if there is one in a moment."""
        return self._dialogue.next(IDLE_S if self._producer is None else TICK_S)

    def poll(self) -> None:
        """Let outcomes arrive."""
        if self._producer is not None:
            self._producer.poll(0)

    def close(self) -> None:
        """Nothing is open any more, whatever goes wrong with it, and the record has it all."""
        self._producer = None
        self._life.close()
        if self._history is not None:
            with suppress(OSError):  # nothing is lost: the last flush writes it all, or raises
                self._history.flush()

    def end(self) -> None:
        """Nor is a record."""
        try:
            self.close()
        finally:
            self._history = None
            self._plays.close()

    def _take(self, step: Order, producer: Alone | InSteps | None) -> None:
        match step["do"]:
            case "attach":
                os.chdir(step["within"])
                _tell_errors(step["log"])
                self.begin(step)
            case "detach":
                self.end()
                _tell_errors(os.devnull)
            case "open" if self._history is not None:
                self._open(step, self._history)
            case "close":
                self.close()
            case do if producer is None:
                raise UsageError(f"expected a producer that is told to {do}, saw none")
            case _:
                if self._history is not None:
                    self._history.patterns |= step.get("patterns", {})
                producer.take(step)

    def _open(self, step: Order, history: History) -> None:
        if "security" in step:
            secure(addresses_of(step["bootstrap"]), Security(**step["security"]))
        settings, named = ProducerSettings(**step["settings"]), Named(step["name"])
        place = step["bootstrap"], history
        if step["transactional"]:
            many = TransactionalProducer(*place, self._given, settings, named=named)
            tell_clients(history, self._dialogue)
            self._producer = InSteps(self._life.enter_context(many), self._given)
        else:
            one = RecordingProducer(*place, settings, self._given, named=named)
            tell_clients(history, self._dialogue)
            self._producer = Alone(self._life.enter_context(one), self._given)


def _tell_errors(log: str) -> None:
    """What this process has to say before it dies, whoever says it, is told there."""
    with open(log, "ab") as opened:  # noqa: PTH123 - a name, as it was told
        os.dup2(opened.fileno(), STDERR)


def take_steps(order: Order, dialogue: Dialogue) -> None:
    """The role "steps"."""
    stepper = Stepper(dialogue)
    if "record" in order:
        stepper.begin(order)
    dialogue.say("ready")
    try:
        while not dialogue.stopping.is_set():
            if (step := stepper.await_step()) is not None:
                stepper.take(step)
            stepper.poll()
    finally:
        stepper.end()
