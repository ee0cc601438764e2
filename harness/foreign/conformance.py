"""Whether an adapter keeps to the protocol: what is asked of each, with a real broker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from highwater.harness.errors import ENVIRONMENT, PreconditionError, in_words
from highwater.harness.foreign import abilities
from highwater.harness.foreign.conformance_of_headers import HeadersConformance
from highwater.harness.foreign.conformance_of_members import MembersConformance
from highwater.harness.foreign.conformance_of_settings import SettingsConformance
from highwater.harness.foreign.conformance_of_transactions import TransactionsConformance
from highwater.harness.foreign.ground import TIMEOUT_S, Ground, life
from highwater.harness.foreign.heard import Heard
from highwater.harness.foreign.lines import MEMBER, PRODUCER, Event
from highwater.harness.foreign.talk import Talk, describe
from highwater.harness.foreign.transactional import has_transactions
from highwater.harness.workloads.producer import ProducerSettings

PLAIN = [f"highwater conformance {number}" for number in range(500)]
ODD = ['"quoted" \\ back', "line\nand\ttab", "gr\u00fc\u00dfe \u2264 \U0001f30a", "{}", ""]
NO_PARTITION = 99  # of a topic that has one
TOO_LARGE = 3_000_000  # bytes, of a record: three times what brokers take
PATIENCE_S = 6.0  # delivery.timeout.ms of the adapter


class Found(NamedTuple):
    rule: str
    wrong: str  # "" where it is kept


def _found(rule: str, tried: Callable[[], None]) -> Found:
    try:
        tried()
    except ENVIRONMENT as error:
        return Found(rule, in_words(error))
    return Found(rule, "")


class Conformance:
    """Of one adapter; each rule is tried in a life of its own."""

    def __init__(self, command: Sequence[str], ground: Ground) -> None:
        self._command = command
        self._ground = ground
        self._ids = itertools.count(0, 1_000_000)
        self._hello: Event = {}
        self._sent: list[tuple[str | None, str]] = []  # in the order of their offsets

    def findings(self) -> Iterator[Found]:
        """One for each rule, as it is found; without a hello there are no others."""
        rules: Mapping[str, Callable[[], None]] = {
            "says hello first, unasked, and ends with its standard input": self._greets,
            "is ready when it has begun, and ends when it is told to stop": self._begins,
            "sends what it is told, and says the offset of each record": self._produces,
            "sends keys, and any text, as it is told": self._sends_odd_texts,
            "has told all outcomes when it says that it has flushed": self._flushes,
            "tells the error of a record for a partition that is not there": self._errs,
            "tells the error of a record that is too large": self._refuses,
            "tells all outcomes and ends when its standard input does": self._ends_with_input,
        }
        for rule, tried in rules.items():
            yield _found(rule, tried)
            if not self._hello:
                return
        for rules in self._further():
            for rule, tried in rules.items():
                yield _found(rule, tried)

    def _further(self) -> Iterator[Mapping[str, Callable[[], None]]]:
        """Rules of what it says that it can."""
        command, ground, hello = self._command, self._ground, self._hello
        if ground.gate is not None:
            yield SettingsConformance(command, ground, ground.gate, hello).rules()
        members = MembersConformance(command, ground, hello)
        if MEMBER in hello["capabilities"]["roles"]:
            yield members.rules(self._produces)
        if ground.kafka.has_record_batches:
            yield HeadersConformance(ground, hello).rules(self._life, members)
        # The last ones: their markers have offsets, and the others' records are found by these.
        if has_transactions(hello) and ground.kafka.knows_idempotence:
            yield TransactionsConformance(command, ground, hello).rules()

    def _greets(self) -> None:
        self._hello = describe(self._command)
        if PRODUCER not in self._hello["capabilities"]["roles"]:
            raise PreconditionError("expected the role 'producer', which each adapter has")

    @contextmanager
    def _life(self) -> Iterator[tuple[Talk, Heard]]:
        heard = Heard()
        settings = ProducerSettings(acks="all", delivery_timeout_s=PATIENCE_S, retries=1)
        able = abilities.fitted(self._hello, ProducerSettings(), self._ground.kafka)
        chosen = replace(settings, idempotence=able.idempotence)
        told = abilities.told(self._hello, chosen)
        line = {"role": PRODUCER, "bootstrap": self._ground.bootstrap, "settings": told}
        with life(self._command, heard, line) as talk:
            yield talk, heard

    def _begins(self) -> None:
        with self._life():
            pass

    def _send(self, talk: Talk, values: Sequence[str], keys: Sequence[str | None] = ()) -> range:
        first = next(self._ids)
        ids = range(first, first + len(values))
        more = {"keys": list(keys)} if keys else {}
        line = {"topic": self._ground.topic, "partition": 0, "values": list(values), **more}
        talk.produce(ids, line)
        self._sent += zip(keys or [None] * len(values), values, strict=True)
        return ids

    def _produces(self) -> None:
        with self._life() as (talk, heard):
            ids = self._send(talk, PLAIN)
            talk.await_(lambda: heard.ended == len(ids), "tell all outcomes", TIMEOUT_S)
        heard.require_ok(ids)
        self._compare(heard)

    def _sends_odd_texts(self) -> None:
        keys = ["key", None, "gr\u00fcn", "", "k\\"]
        with self._life() as (talk, heard):
            ids = self._send(talk, ODD, keys)
            talk.await_(lambda: heard.ended == len(ids), "tell all outcomes", TIMEOUT_S)
        heard.require_ok(ids)
        self._compare(heard)

    def _compare(self, heard: Heard) -> None:
        """What lies in the topic is what was sent, where it was said to be."""
        lies = list(self._ground.read())
        self._require_all_there()
        first = len(self._sent) - len(heard.ok)
        for number, (value, offset) in enumerate(sorted(heard.ok.items())):
            if offset is None or not 0 <= offset < len(lies):
                raise PreconditionError(
                    f"expected an offset below {len(lies)} of record {value}: {offset}"
                )
            key, text = self._sent[first + number]
            sent = (None if key is None else key.encode(), text.encode())
            if lies[offset] != sent:
                raise PreconditionError(
                    f"expected {sent!r:.120} at offset {offset}, which record {value} is said to "
                    f"have, saw {lies[offset]!r:.120}"
                )

    def _require_all_there(self) -> None:
        """Each record once, in the order in which they were told; nothing else."""
        lies = [value for _, value in self._ground.read()]
        sent = [text.encode() for _, text in self._sent]
        if lies == sent:
            return
        place = next(
            (n for n, pair in enumerate(zip(lies, sent, strict=False)) if len(set(pair)) > 1), None
        )
        seen = "" if place is None else f", and at offset {place} another one than was told"
        raise PreconditionError(
            f"expected the {len(sent)} records that it was told, each once and in that order, saw "
            f"{len(lies)} in the topic{seen}"
        )

    def _flushes(self) -> None:
        with self._life() as (talk, heard):
            ids = self._send(talk, PLAIN)
            talk.say({"do": "flush"})
            talk.await_(lambda: talk.rules.flushed == 1, "say that it has flushed", TIMEOUT_S)
            if heard.ended < len(ids):
                raise PreconditionError(
                    f"expected {len(ids)} outcomes before flushed, saw {heard.ended}"
                )
        self._require_all_there()

    def _errs(self) -> None:
        self._fails({"partition": NO_PARTITION, "values": PLAIN[:1]})

    def _refuses(self) -> None:
        self._fails({"partition": 0, "values": ["x" * TOO_LARGE]})

    def _fails(self, line: Mapping[str, Any]) -> None:
        first = next(self._ids)
        with self._life() as (talk, heard):
            talk.produce(range(first, first + 1), {"topic": self._ground.topic, **line})
            talk.await_(lambda: heard.ended == 1, "tell the outcome", TIMEOUT_S)
        if not heard.error_of(first)["refused"]:
            self._count_in(line["values"][0])

    def _count_in(self, text: str) -> None:
        """Of what has failed, and was not refused before it was sent, nobody knows whether."""
        lies = list(self._ground.read())
        if len(lies) > len(self._sent) and lies[len(self._sent)] == (None, text.encode()):
            self._sent.append((None, text))

    def _ends_with_input(self) -> None:
        with self._life() as (talk, heard):
            ids = self._send(talk, PLAIN)
            talk.close()
        heard.require_ok(ids)
        self._require_all_there()
