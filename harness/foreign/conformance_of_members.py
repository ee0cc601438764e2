"""Whether an adapter's members keep to the protocol: what is asked of each, on a real broker."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign.ground import TIMEOUT_S, Ground, life
from highwater.harness.foreign.lines import MEMBER, Event
from highwater.harness.foreign.memberships import (
    AT_ONCE,
    AUTOMATIC,
    INTERVAL,
    commits_by_itself,
    fitted,
    has_to_poll,
)
from highwater.harness.foreign.talk import Talk

WANTED = {
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "session.timeout.ms": 6_000,
    "metadata.max.age.ms": 1_000,
}
PROCESSING_US = 200  # of each record: what comes before it and what comes after it can be told
SLOWLY = {"processing_us": 5_000, "at_once": 1}
SLOWLY_S = SLOWLY["processing_us"] / 1e6
BUSY_S = 4.0
INTERVAL_MS = 200  # after which its library commits, where it is left to
Handed = list[tuple[int, str | None, str | None]]  # offset, value and key


@dataclass(slots=True)
class Deeds:
    """What a member said that it was handed and did, in this order."""

    events: list[Event] = field(default_factory=list)
    handed: Handed = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if event["event"] == "polled":
            self.handed += [(offset, value, key) for offset, value, key in event["records"]]

    def end_of(self, said: str) -> int:
        """One past the highest offset that it said this of; 0: of none."""
        named = [each for each in self.events if each["event"] == said]
        return max((place[-1] for each in named for place in each["offsets"]), default=0)

    def longest_rest_s(self, record_s: float) -> float:
        """Between two of its deeds that follow upon each other, by its clock, but for the time that
        what it was handed in the first of them takes.
        """
        deeds = [each for each in self.events if each["event"] in ("polled", "processed")]
        rests = [
            (after["at_ns"] - deed["at_ns"]) / 1e9 - record_s * len(deed.get("records", ()))
            for deed, after in itertools.pairwise(deeds)
        ]
        return max(rests, default=0.0)

    def first(self, said: str) -> int:
        """Which of the events was the first of these; raises PreconditionError without one."""
        found = (n for n, each in enumerate(self.events) if each["event"] == said)
        number = next(found, None)
        if number is None:
            raise PreconditionError(f"expected it to say {said!r}, saw that it did not")
        return number


class MembersConformance:
    """Of one adapter; each rule is tried in a life, and a group, of its own."""

    def __init__(self, command: Sequence[str], ground: Ground, hello: Event) -> None:
        self._command, self._ground, self._hello = command, ground, hello
        self._numbers = itertools.count(1)
        self._group = ""

    def rules(self, send: Callable[[], None]) -> Mapping[str, Callable[[], None]]:
        """By what they say; `send` puts more into the topic."""
        rules = {
            "as a member: is assigned what it reads, and says what it is handed": self._is_handed,
            "as a member: commits what it has processed, before it ends at the latest": self._after,
            "as a member: commits before it processes, where it is told to": self._before,
            "as a member: goes on where its group has committed": lambda: self._goes_on(send),
        }
        if commits_by_itself(self._hello):
            rules["as a member: leaves commits to its library, where it is told to"] = self._leaves
        if has_to_poll(self._hello):
            rules["as a member: does nothing while it is to be busy"] = self._is_busy
        return rules

    @contextmanager
    def _life(
        self, commits: str = "after", group: str = "", more: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[Talk, Deeds]]:
        deeds = Deeds()
        self._group = group or f"conformance-{next(self._numbers)}"
        line: dict[str, Any] = {
            "role": MEMBER,
            "settings": fitted(self._hello, WANTED),
            "commits": commits,
        }
        line |= {"bootstrap": self._ground.bootstrap, "topics": [self._ground.topic]}
        line |= {"group": self._group, "processing_us": PROCESSING_US, "at_once": AT_ONCE}
        with life(self._command, deeds, {**line, **(more or {})}) as talk:
            yield talk, deeds

    def _all(self, talk: Talk, deeds: Deeds) -> None:
        end = len(self._ground.read())
        talk.await_(lambda: len(deeds.handed) >= end, "say what it is handed", TIMEOUT_S)

    def _is_handed(self) -> None:
        with self._life() as (talk, deeds):
            self._all(talk, deeds)
            if talk.rules.membership.held != {(self._ground.topic, 0)}:
                raise PreconditionError("expected it to hold the only partition, saw it does not")
        handed = [_told(*each) for each in deeds.handed]
        lies = [
            _told(offset, _text(value), _text(key))
            for offset, (key, value) in enumerate(self._ground.read())
        ]
        if handed != lies:
            pairs = zip(handed, lies, strict=False)
            place = next((n for n, (one, other) in enumerate(pairs) if one != other), len(lies))
            raise PreconditionError(
                f"expected the {len(lies)} records of the topic, each once and in their order, saw "
                f"{len(handed)}, and number {place + 1} is another one or not there"
            )

    def _after(self) -> None:
        with self._life() as (talk, deeds):
            self._all(talk, deeds)
        self._require_committed(deeds)
        if deeds.first("commit") < deeds.first("processed"):
            raise PreconditionError("expected processed before commit, saw commit first")

    def _require_committed(self, deeds: Deeds) -> None:
        """It said so, and the group has it."""
        end = len(self._ground.read())
        ends = {each: deeds.end_of(each) for each in ("processed", "commit", "committed")}
        ends["what its group has committed"] = self._ground.committed(self._group) or 0
        for what, seen in ends.items():
            if seen != end:
                raise PreconditionError(
                    f"expected {what} up to {end} when it has ended, saw {seen}"
                )

    def _before(self) -> None:
        with self._life("before") as (talk, deeds):
            self._all(talk, deeds)
        self._require_committed(deeds)
        if deeds.first("committed") > deeds.first("processed"):
            raise PreconditionError("expected committed before processed, saw processed first")

    def _leaves(self) -> None:
        told = {**fitted(self._hello, WANTED), AUTOMATIC: True, INTERVAL: INTERVAL_MS}
        with self._life("auto", more={"settings": told}) as (talk, deeds):
            self._all(talk, deeds)
        end, seen = len(self._ground.read()), self._ground.committed(self._group) or 0
        if seen != end:
            raise PreconditionError(
                f"expected its library to have committed up to {end} when it has ended, saw {seen}"
            )

    def _goes_on(self, send: Callable[[], None]) -> None:
        with self._life() as (talk, deeds):
            self._all(talk, deeds)
        end = len(self._ground.read())
        send()
        with self._life(group=self._group) as (talk, deeds):
            talk.await_(lambda: bool(deeds.handed), "say what it is handed", TIMEOUT_S)
        if deeds.handed[0][0] != end:
            raise PreconditionError(
                f"expected it to be handed offset {end} first, which its group has committed, saw "
                f"{deeds.handed[0][0]}"
            )

    def _is_busy(self) -> None:
        with self._life(more=SLOWLY) as (talk, deeds):
            talk.await_(lambda: bool(deeds.handed), "say what it is handed", TIMEOUT_S)
            talk.say({"do": "busy", "for_us": round(BUSY_S * 1e6)})
            until_s = time.monotonic() + 3 * BUSY_S
            talk.await_(
                lambda: deeds.longest_rest_s(SLOWLY_S) >= BUSY_S or time.monotonic() > until_s,
                "be busy, or not",
                TIMEOUT_S,
            )
        if (rest_s := deeds.longest_rest_s(SLOWLY_S)) < BUSY_S:
            raise PreconditionError(
                f"expected it to be handed nothing, and to process nothing, for the {BUSY_S:g} s "
                f"that it was to be busy, saw {rest_s:.3f} s at most between two of its deeds"
            )


def _told(offset: int, value: str | None, key: str | None) -> tuple[int, str, str]:
    """Some libraries hand out nothing where what was sent is empty, and cannot tell these apart."""
    return offset, value or "", key or ""


def _text(told: bytes | None) -> str | None:
    return None if told is None else told.decode()
