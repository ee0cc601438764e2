"""Whether an adapter's members keep to the protocol: what is asked of each, on a real broker."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from highwater.harness.errors import DeadlineError, PreconditionError
from highwater.harness.foreign.deeds import Deeds
from highwater.harness.foreign.ground import TIMEOUT_S, Ground, Held, life
from highwater.harness.foreign.lines import MEMBER, Event
from highwater.harness.foreign.memberships import (
    AT_ONCE,
    AUTOMATIC,
    INTERVAL,
    commits_by_itself,
    fitted,
    has_to_poll,
    tells_commits,
)
from highwater.harness.foreign.talk import Talk
from highwater.harness.gate.headers import OFFSET_COMMIT
from highwater.harness.gate.rows import Row
from highwater.harness.gate.traffic import COMMIT_REQUESTS

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
LEFT_TO_IT = {AUTOMATIC: True, INTERVAL: INTERVAL_MS}
SOON_S = 5.0  # within which is done what is to be done some times a second
LIVES = 3  # in which it may not be handed all that is there; the last one has to tell why
REFUSED = 28  # INVALID_COMMIT_OFFSET_SIZE: after which nobody asks again


class MembersConformance:
    """Of one adapter; each rule is tried in a life, and a group, of its own."""

    def __init__(self, command: Sequence[str], ground: Ground, hello: Event) -> None:
        self._command, self._ground, self._hello = command, ground, hello
        self._numbers = itertools.count(1)
        self._group = ""
        self._deeds = Deeds()  # of the latest life

    def rules(self, send: Callable[[], None]) -> Mapping[str, Callable[[], None]]:
        """By what they say; `send` puts more into the topic.

        A library may stand still, which is not for its adapter to mend: that of kafka-python does,
        where a busy machine deals its partitions out late
        (docs/findings/kafka-python-unheard-assignment.md). Such a life is tried again.
        """
        rules = self._rules(send)
        return {rule: partial(self.alive, tried) for rule, tried in rules.items()}

    def alive(self, tried: Callable[[], None]) -> None:
        """Try it, and a life that stands still once more, or twice."""
        for _ in range(LIVES - 1):
            try:
                return tried()
            except DeadlineError:
                if len(self._deeds.handed) >= len(self._ground.read()):
                    raise
        return tried()

    def _rules(self, send: Callable[[], None]) -> Mapping[str, Callable[[], None]]:
        is_told = tells_commits(self._hello)
        rules = {
            "as a member: is assigned what it reads, and says what it is handed": self._is_handed,
            **(self._rules_of_commits() if is_told else {}),
            "as a member: goes on where its group has committed": lambda: self._goes_on(send),
        }
        if is_told and self._ground.gate is not None:
            rules["as a member: tells that a commit was refused"] = self._is_refused
        if commits_by_itself(self._hello):
            rules["as a member: leaves commits to its library, where it is told to"] = self._leaves
        if has_to_poll(self._hello):
            rules["as a member: does nothing while it is to be busy"] = self._is_busy
        return rules

    def _rules_of_commits(self) -> Mapping[str, Callable[[], None]]:
        return {
            "as a member: commits what it has processed, before it ends at the latest": self._after,
            "as a member: commits before it processes, where it is told to": self._before,
        }

    @contextmanager
    def _life(
        self, commits: str = "", group: str = "", more: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[Talk, Deeds]]:
        self._deeds = deeds = Deeds()
        self._group = group or f"conformance-{next(self._numbers)}"
        is_told = tells_commits(self._hello)
        line: dict[str, Any] = {
            "role": MEMBER,
            "settings": fitted(self._hello, WANTED if is_told else {**WANTED, **LEFT_TO_IT}),
            "commits": commits or ("after" if is_told else "auto"),
        }
        line |= {"bootstrap": self._ground.bootstrap, "topics": [self._ground.topic]}
        line |= {"group": self._group, "processing_us": PROCESSING_US, "at_once": AT_ONCE}
        with life(self._command, deeds, {**line, **(more or {})}) as talk:
            yield talk, deeds

    def life_of(self, more: Mapping[str, Any]) -> AbstractContextManager[tuple[Talk, Deeds]]:
        """A life in which it is told this besides."""
        return self._life(more=more)

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
        deeds = self._commits("after")
        if deeds.first("commit") < deeds.first("processed"):
            raise PreconditionError("expected processed before commit, saw commit first")

    def _commits(self, commits: str) -> Deeds:
        """What it did; the answer to its first commit has come late."""
        gate = self._ground.gate
        with (
            nullcontext(None) if gate is None else gate.holding(OFFSET_COMMIT) as held,
            self._life(commits) as (talk, deeds),
        ):
            passed_ns = 0 if held is None else _pass_late(held, talk, deeds)
            self._all(talk, deeds)
            end = len(self._ground.read())
            talk.await_(
                lambda: deeds.end_of("committed") >= end,
                f"commit up to {end}, which it has processed, before it is told to stop",
                SOON_S,
            )
        deeds.require_unanswered(passed_ns)
        self._require_committed(deeds)
        if gate is not None:
            deeds.require_asked(self._rows())
            deeds.require_generation(self._rows())
        return deeds

    def _rows(self) -> Sequence[Row]:
        """Of commits of its group, as the gate has seen them."""
        rows = () if self._ground.gate is None else self._ground.gate.seen(COMMIT_REQUESTS)
        return [row for row in rows if row["group"] == self._group]

    def _is_refused(self) -> None:
        gate = self._ground.gate
        if gate is None:
            return
        with gate.answering(OFFSET_COMMIT, REFUSED, done=False), self._life() as (talk, deeds):
            talk.await_(lambda: bool(deeds.told("committed")), "tell a commit's answer", TIMEOUT_S)
        first = deeds.told("committed")[0]
        if first["error"] is None or first["code"] not in (REFUSED, None):
            raise PreconditionError(
                f"expected the error of a commit that its broker refused, and the code {REFUSED} "
                f"or null, saw {dict(first)!r:.200}"
            )

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
        deeds = self._commits("before")
        if deeds.first("committed") > deeds.first("processed"):
            raise PreconditionError("expected committed before processed, saw processed first")

    def _leaves(self) -> None:
        told = fitted(self._hello, {**WANTED, **LEFT_TO_IT})
        with self._life("auto", more={"settings": told}) as (talk, deeds):
            self._all(talk, deeds)
            if self._ground.gate is not None:
                talk.await_(
                    lambda: bool(self._rows()),
                    f"have its library commit {INTERVAL_MS} ms after it was handed something",
                    SOON_S / 2,  # and not after the 5 s that libraries wait by themselves
                )
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


def _pass_late(held: Held, talk: Talk, deeds: Deeds) -> int:
    """Its first commit is answered when it has said that it asks for it; until when it was not."""
    talk.await_(held.stands, "ask its broker to commit", TIMEOUT_S)
    talk.await_(
        lambda: deeds.end_of("commit") > 0, "say 'commit' before it asks its broker for it", SOON_S
    )
    deeds.require_unanswered(passed_ns := time.monotonic_ns())
    held.pass_on()
    return passed_ns


def _told(offset: int, value: str | None, key: str | None) -> tuple[int, str, str]:
    """Some libraries hand out nothing where what was sent is empty, and cannot tell these apart."""
    return offset, value or "", key or ""


def _text(told: bytes | None) -> str | None:
    return None if told is None else told.decode()
