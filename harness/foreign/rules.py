"""What an adapter may say when: the order of events, whose outcomes it tells, and its clock.

Knows of no process: it is told what was said to the adapter, and what was heard of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from highwater.harness.foreign.clock import Clock
from highwater.harness.foreign.lines import (
    ERROR,
    MEMBER,
    PRODUCER,
    BreachError,
    Event,
    read,
    shown,
)
from highwater.harness.foreign.membership import MEMBERS, Membership
from highwater.harness.foreign.steps import Steps

PRODUCERS = ("ok", "error", "flushed", "transaction")
ROLES = {**dict.fromkeys(MEMBERS, MEMBER), **dict.fromkeys(PRODUCERS, PRODUCER)}


class Rules:
    """Of one life of an adapter; one thread says, one hears."""

    def __init__(self, spawned_ns: int) -> None:
        self.membership = Membership()
        self.steps = Steps()
        self.hello: Event | None = None
        self.is_ready = self.has_ended = False
        self.flushed = 0  # how often it has said so
        self.fatal = ""  # why it can do nothing more, when it has said so
        self._spawned_ns = spawned_ns
        self._clock = Clock(spawned_ns)
        self._told_ns: dict[int, int] = {}  # by the ids of records without an outcome: when
        self._flushes = 0
        self._may_end = False
        self._begun_as = ""  # its role
        self._checks = self._checks_of_events()

    @property
    def has_flushed(self) -> bool:
        """As often as it was told to."""
        return self.flushed == self._flushes

    @property
    def open(self) -> int:
        """How many records have no outcome yet."""
        return len(self._told_ns)

    def say(self, line: Mapping[str, Any]) -> None:
        """The adapter is about to be told this."""
        self._flushes += line["do"] == "flush"
        if line["do"] == "begin":
            self._begun_as = line["role"]
            is_automatic = line.get("commits") == "auto"
            read = line.get("topics", ()), line.get("headers", ())
            self.membership = Membership(*read, is_automatic=is_automatic)
        self._may_end |= line["do"] == "stop"
        if line["do"] == "transaction":
            self.steps.ask(line["step"])

    def close(self) -> None:
        """The end of its standard input means the same as to be told to stop."""
        self._may_end = True

    def send(self, ids: range, now_ns: int) -> None:
        """It is about to be told to produce these."""
        self._told_ns.update(dict.fromkeys(ids, now_ns))

    def hear(self, line: bytes, read_ns: int) -> Event:
        """It has said this; raises BreachError for what it may not say, or not now."""
        event = read(line)
        said = event["event"]
        if (said == "hello") is (self.hello is not None):
            awaited = "hello once, as the first line" if said == "hello" else "hello first"
            raise BreachError(awaited, shown(line))
        if self.has_ended:
            raise BreachError("nothing after ended", shown(line))
        role = ROLES.get(said, self._begun_as)
        if role != self._begun_as and self._begun_as:
            raise BreachError(f"{said} of a {role} only", shown(line))
        check = self._checks.get(said)
        if check is not None:
            try:
                check(event, read_ns)
            except BreachError as breach:
                breach.add_note(shown(line))
                raise
        return event

    def end(self, exit_code: int) -> None:
        """Its standard output has ended; raises BreachError unless it had said so."""
        if not self.has_ended:
            raise BreachError("ended as its last line", f"it gone (exit code {exit_code})")

    def _checks_of_events(self) -> Mapping[str, Callable[[Event, int], None]]:
        return {
            "hello": self._greeted,
            "ready": self._is_ready,
            "ok": self._acknowledged,
            "error": self._failed,
            "flushed": self._has_flushed,
            "transaction": self._answered_step,
            "fatal": self._cannot,
            "ended": self._ended,
            **dict.fromkeys(MEMBERS, self._of_member),
        }

    def _of_member(self, event: Event, read_ns: int) -> None:
        if not self.is_ready:
            raise BreachError(f"ready before {event['event']}", "it not ready")
        if "at_ns" in event:
            self._clock.require(event["at_ns"], self._spawned_ns, read_ns)
        self.membership.hear(event)

    def _greeted(self, event: Event, read_ns: int) -> None:
        self._clock = Clock.of(event, self._spawned_ns, read_ns)
        self.hello = event

    def _is_ready(self, _event: Event, _read_ns: int) -> None:
        if self.is_ready or not self._begun_as:
            raise BreachError("ready once, after begin", "it another time or before")
        self.is_ready = True

    def _acknowledged(self, event: Event, read_ns: int) -> None:
        for number, _, at_ns in event["records"]:
            self._answered(number, at_ns, read_ns)

    def _failed(self, event: Event, read_ns: int) -> None:
        for number, at_ns in event["records"]:
            self._answered(number, at_ns, read_ns)

    def _answered(self, number: int, at_ns: int, read_ns: int) -> None:
        told_ns = self._told_ns.get(number)
        if told_ns is None:
            raise BreachError("one outcome of each record that it was sent", f"another of {number}")
        self._clock.require(at_ns, told_ns, read_ns)
        del self._told_ns[number]

    def _has_flushed(self, event: Event, read_ns: int) -> None:
        if self.has_flushed:
            raise BreachError("flushed once for each flush", f"it {self.flushed + 1} times")
        if not ERROR.fits(event.get("error")):
            raise BreachError(f"error of flushed to be {ERROR.words}", f"{event['error']!r:.120}")
        self._clock.require(event["at_ns"], self._spawned_ns, read_ns)
        self.flushed += 1

    def _answered_step(self, event: Event, read_ns: int) -> None:
        self._clock.require(event["at_ns"], self._spawned_ns, read_ns)
        self.steps.hear(event, self.open)

    def _cannot(self, event: Event, _read_ns: int) -> None:
        self.fatal = event["text"] or "it says no reason"

    def _ended(self, _event: Event, _read_ns: int) -> None:
        if not self._may_end:
            raise BreachError("ended after stop or the end of standard input", "it before")
        self.has_ended = True
