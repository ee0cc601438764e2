"""What all connections of one gate share: the rules, topic names, standing frames, event sink."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Literal, Protocol

from highwater.harness.gate.engine import RuleEngine, RuleState
from highwater.harness.gate.filling import when_full
from highwater.harness.gate.frames import Frame, TopicNames
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages.addresses import Address, Readdressed, may_name
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.gate.witness import Seen

Resolution = Literal["pass", "drop"]
Event = dict[str, Any]

LONGEST_COMMAND_BYTES = 1 << 20  # one line that the gate is told
_MOST_PARTITIONS_REPORTED = 64


class StandingPlace(Protocol):
    """Where a frame stands while a rule holds it, and how many whole ones wait behind it."""

    @property
    def behind(self) -> int: ...

    def resolve(self, how: Resolution) -> None: ...


class Hub:
    def __init__(self, sink: Callable[[Event], None]) -> None:
        self.engine = RuleEngine()
        self.names = TopicNames()
        self.schemas: Schemas | None = None
        self.gates: dict[Address, Address] = {}  # where we stand for each broker, by its own
        self.seen = Seen(sink, self.warn)
        self._told: set[str] = set()
        self._sink = sink
        self._emitted = 0
        self._standing: dict[StandingPlace, RuleState] = {}

    def emit(self, event: str, **fields: Any) -> None:
        """`at_ns` is CLOCK_MONOTONIC, which all processes of the machine share."""
        self._sink({"seq": self._emitted, "at_ns": time.monotonic_ns(), "event": event, **fields})
        self._emitted += 1

    def report(self, event: str, frame: Frame, state: RuleState, **fields: Any) -> None:
        """One event about one frame, with the partitions that the rule means.

        Of very many it has the first, and says how many are left out.
        """
        match = state.rule.match
        views = match.partitions_of(frame) if match.needs_body else frame.partitions
        if len(views) > _MOST_PARTITIONS_REPORTED:
            fields["partitions_left_out"] = len(views) - _MOST_PARTITIONS_REPORTED
        self.emit(
            event,
            rule=state.rule.rule_id,
            leader=frame.leader,
            follower=frame.follower,
            client_id=frame.client_id,
            api=frame.api_key,
            api_version=frame.api_version,
            correlation_id=frame.correlation_id,
            connection=frame.connection,
            stage=frame.stage,
            frame_bytes=frame.length,
            partitions=[view.to_json() for view in views[:_MOST_PARTITIONS_REPORTED]],
            **fields,
        )

    def readdresses(self, frame: Frame) -> bool:
        """Whether this answer has to be read for what it says of where brokers are."""
        if not self.gates or frame.stage != "response":
            return False
        return may_name(frame.api_key, frame.api_version)

    def readdressed(self, header: RequestHeader, raw: bytes, broker: int) -> bytes | None:
        """The same answer with our addresses; None where it passes as it is."""
        try:
            found = Readdressed(self.schemas or Schemas([]), header, raw, self.gates)
        except DecodeError as reason:
            self.warn(f"an answer to api {header.api_key} passes as it is: {reason}")
            return None
        for topic in found.topics:
            if topic["Name"]:
                self.names.learn(topic["Name"], topic["TopicId"], broker)
        for host, port in found.strangers:
            self.warn(f"clients reach the broker at {host}:{port} past the gate")
        return found.frame

    def warn(self, text: str) -> None:
        """Say something once that nobody asked for."""
        if text not in self._told:
            self._told.add(text)
            self.emit("warning", text=text)

    def warn_anew(self) -> None:
        """What was said before may be said once more: somebody else listens."""
        self._told.clear()

    def stand(self, place: StandingPlace, state: RuleState) -> None:
        self._standing[place] = state

    def stall(
        self, place: StandingPlace, frame: Frame, state: RuleState, source: asyncio.Transport | None
    ) -> None:
        """It stands at once, and is told as soon as whoever sends it can write no more."""
        self.stand(place, state)

        def tell() -> None:
            if self._standing.get(place) is state:
                self.report("standing", frame, state)

        when_full(source, tell)

    def leave(self, place: StandingPlace) -> None:
        self._standing.pop(place, None)

    def standing(self, state: RuleState) -> tuple[StandingPlace, ...]:
        """In the order in which the frames came."""
        return tuple(place for place, holder in self._standing.items() if holder is state)

    def resolve(self, state: RuleState, how: Resolution) -> int:
        """Retires the rule and frees what it holds; says how many frames that were."""
        self.engine.retire(state)
        places = self.standing(state)
        for place in places:
            place.resolve(how)
        return len(places)
