"""Whether an adapter sends, and tells, headers as the protocol has it: on a real broker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign.conformance_of_members import MembersConformance
from highwater.harness.foreign.ground import TIMEOUT_S, Ground
from highwater.harness.foreign.headers import has_headers
from highwater.harness.foreign.heard import Heard
from highwater.harness.foreign.lines import MEMBER, PRODUCER, Event
from highwater.harness.foreign.talk import Talk

NAME = "identit\u00e4t"
SENT = ['"quoted" \\ back', "line\nand\ttab", "gr\u00fc\u00dfe \u2264 \U0001f30a", "{}", "", "last"]
FIRST_ID = 10**9  # beyond all that other rules send
# What others have sent, each with so many headers; of several of the name the last one counts.
HANDED: Sequence[Sequence[tuple[str, bytes]]] = [
    [(NAME, b"one")],
    [],
    [("another", b"two")],
    [("another", b"three"), (NAME, "gr\u00fcn".encode()), ("third", b"four")],
    [(NAME, b"five"), (NAME, b"six")],
    [(NAME, b"half \xc3")],
    [(NAME, b"")],
]
Producing = Callable[[], AbstractContextManager[tuple[Talk, Heard]]]


class HeadersConformance:
    """Of one adapter, which says in which roles it has them."""

    def __init__(self, ground: Ground, hello: Event) -> None:
        self._headed, self._hello = ground.headed, hello
        self._ids = itertools.count(FIRST_ID, 1_000_000)

    def rules(
        self, producing: Producing, members: MembersConformance
    ) -> Mapping[str, Callable[[], None]]:
        """By what they say; each is tried in a life of its own, which these two begin."""
        rules: dict[str, Callable[[], None]] = {}
        if has_headers(self._hello, PRODUCER):
            rules["sends a header of each record, as it is told"] = lambda: self._sends(producing)
        if has_headers(self._hello, MEMBER):
            tells = partial(members.alive, lambda: self._tells(members))
            rules["as a member: tells the header of each record"] = tells
        return rules

    def _sends(self, producing: Producing) -> None:
        before = len(self._headed.read(NAME))
        with producing() as (talk, heard):
            self._send(talk, heard, {"header": NAME, "headers": SENT})
            self._send(talk, heard, {})
        _require(
            self._headed.read(NAME)[before:],
            [*(each.encode() for each in SENT), *[None] * len(SENT)],
            "to lie there",
        )

    def _send(self, talk: Talk, heard: Heard, more: Mapping[str, Any]) -> None:
        """Until all have an outcome: what is sent at one time may lie there in any order."""
        wanted, first = heard.ended + len(SENT), next(self._ids)
        line = {"topic": self._headed.topic, "partition": 0, "values": ["a record"] * len(SENT)}
        talk.produce(range(first, first + len(SENT)), {**line, **more})
        talk.await_(lambda: heard.ended >= wanted, "tell all outcomes", TIMEOUT_S)

    def _tells(self, members: MembersConformance) -> None:
        self._headed.put(HANDED)
        lies = self._headed.read(NAME)
        topic = self._headed.topic
        told = {"topics": [topic], "headers": {topic: NAME}}
        with members.life_of(told) as (talk, deeds):
            talk.await_(lambda: len(deeds.handed) >= len(lies), "say what it is handed", TIMEOUT_S)
        # Some libraries hand out nothing where what was sent is empty.
        said = [
            "" if each is None and header == b"" else each
            for each, header in itertools.zip_longest(deeds.headers, lies)
        ]
        texts = [None if each is None else each.decode("utf-8", "replace") for each in lies]
        _require(said, texts, "to be told")


def _require(seen: Sequence[object], wanted: Sequence[object], what: str) -> None:
    pairs = enumerate(itertools.zip_longest(seen, wanted, fillvalue="nothing"))
    odd = next(((number, *pair) for number, pair in pairs if pair[0] != pair[1]), None)
    if odd is not None:
        number, one, other = odd
        raise PreconditionError(
            f"expected the header {other!r:.120} of record {number + 1} {what}, saw {one!r:.120}"
        )
