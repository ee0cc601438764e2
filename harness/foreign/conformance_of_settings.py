"""Whether an adapter's producer is set as it is told, and tells of a failure what is so.

The gate between it and its broker has seen what it asked, and knows what became of that.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign import abilities
from highwater.harness.foreign.ground import PARTITIONS, TIMEOUT_S, Gate, Ground, life
from highwater.harness.foreign.heard import Heard
from highwater.harness.foreign.lines import PRODUCER, Event
from highwater.harness.foreign.outcomes import REFUSED
from highwater.harness.foreign.talk import Talk
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rows import Row
from highwater.harness.gate.traffic import BATCHES
from highwater.harness.workloads.producer import ProducerSettings

LONG = [f"{number:08d}" * 125 for number in range(3)]  # who finds nothing to compress does not
ONE = LONG[:1]
PATIENCE_S = 6.0  # delivery.timeout.ms, where it is waited for
TOO_FEW, DENIED = 19, 29  # NOT_ENOUGH_REPLICAS, TOPIC_AUTHORIZATION_FAILED: who sends again?
SOON_S = 0.5  # after an answer its record's outcome is told, once in as many as
TURNS = 5
ZSTD = "zstd"  # from 2.1 on


class SettingsConformance:
    """Of one adapter; each rule is tried in lives of its own."""

    def __init__(self, command: Sequence[str], ground: Ground, gate: Gate, hello: Event) -> None:
        self._command, self._ground, self._gate, self._hello = command, ground, gate, hello
        self._ids = itertools.count(0, 1_000_000)
        self._since_ns = 0

    def rules(self) -> Mapping[str, Callable[[], None]]:
        """By what they say."""
        rules = {
            "is set as it is told: acks, idempotence, compression, and where to": self._is_set,
            "tells an outcome soon after its broker has answered": self._is_prompt,
            "does not call refused what a broker has appended": self._is_answered,
        }
        if abilities.has_setting(self._hello, "delivery_timeout_s"):
            rules["does not call refused what has had no answer in time"] = self._is_not_answered
        if abilities.has_setting(self._hello, "retries"):
            rules["sends a record once where it is told not to try again"] = self._sends_once
        return rules

    @contextmanager
    def _life(self, **chosen: Any) -> Iterator[tuple[Talk, Heard]]:
        heard = Heard()
        able = abilities.fitted(self._hello, ProducerSettings(), self._ground.kafka)
        usual = replace(ProducerSettings(), idempotence=able.idempotence, retries=1)
        settings = replace(usual, **chosen)
        told = abilities.told(self._hello, settings)
        line = {"role": PRODUCER, "bootstrap": self._ground.bootstrap, "settings": told}
        self._since_ns = time.monotonic_ns()
        with life(self._command, heard, line) as talk:
            yield talk, heard

    @contextmanager
    def _at_work(self, **chosen: Any) -> Iterator[tuple[Talk, Heard]]:
        """Such a life when it knows where to send: what fails then has left, or would have.

        Who is just starting, on a busy machine, may take longer than a record has.
        """
        with self._life(**chosen) as (talk, heard):
            for turn in range(1, TURNS + 1):
                self._send(talk, ONE)
                talk.await_(_have_ended(heard, turn), "tell the outcome", TIMEOUT_S)
                if heard.ok:
                    break
            heard.clear()
            self._since_ns = time.monotonic_ns()
            yield talk, heard

    def _send(self, talk: Talk, values: Sequence[str], partition: int = 0) -> range:
        first = next(self._ids)
        ids = range(first, first + len(values))
        line = {"topic": self._ground.spread, "partition": partition, "values": [*values]}
        talk.produce(ids, line)
        return ids

    def _rows(self) -> Sequence[Row]:
        """Of the batches of this life."""
        return self._gate.seen(BATCHES, self._since_ns)

    def _is_set(self) -> None:
        """Each compression once, in both ways of the other settings, and never less than these."""
        able = abilities.fitted(self._hello, ProducerSettings(), self._ground.kafka)
        known = self._hello["capabilities"]["compression"]
        names = [each for each in known if each != ZSTD or self._ground.kafka.at_least("2.1")]
        names += ["none"] * (2 - len(names))
        ways = itertools.cycle([("all", able.idempotence), ("1", False)])
        wheres = itertools.cycle(reversed(range(PARTITIONS)))
        for compression, (acks, idempotence), where in zip(names, ways, wheres, strict=False):
            chosen = {"acks": acks, "idempotence": idempotence, "compression": compression}
            self._sends(chosen, where)

    def _sends(self, chosen: Mapping[str, Any], where: int) -> None:
        with self._life(**chosen) as (talk, heard):
            ids = self._send(talk, LONG, where)
            talk.await_(lambda: heard.ended == len(LONG), "tell all outcomes", TIMEOUT_S)
        heard.require_ok(ids)
        self._require_set(chosen, where)

    def _require_set(self, chosen: Mapping[str, Any], where: int) -> None:
        rows = self._rows()
        places = {(row["topic"], row["partition"]) for row in rows}
        _require("records to be sent", "to", {(self._ground.spread, where)}, places)
        told = "acks=" + chosen["acks"]
        _require(told, "with acks", {chosen["acks"]}, {row["acks"] for row in rows})
        # Of message formats before 2 nobody says it.
        ids = {row["producer_id"] for row in rows} - {None}
        idempotent = bool(chosen["idempotence"])
        told = f"{abilities.IDEMPOTENCE}={str(idempotent).lower()}"
        _require(told, "with a producer id", {idempotent} if ids else set(), {n >= 0 for n in ids})
        if abilities.has_setting(self._hello, "compression"):
            first = min((row["base_offset"] for row in rows if _is_done(row)), default=None)
            if first is None:
                raise PreconditionError("expected a batch that its broker has answered, saw none")
            wanted = chosen["compression"]
            codecs = self._ground.codecs(where, first)
            _require(f"compression.type={wanted}", "batches compressed by", {wanted}, codecs)

    def _is_prompt(self) -> None:
        """At least once: a machine that is busy tells some of them late."""
        with self._life() as (talk, heard):
            for turn in range(1, TURNS + 1):
                self._send(talk, ONE)
                talk.await_(_have_ended(heard, turn), "tell the outcome", TIMEOUT_S)
        answers = sorted(row["answered_ns"] for row in self._rows() if _is_done(row))
        if len(answers) < TURNS:
            raise PreconditionError(
                f"expected {TURNS} batches that its broker has answered, saw {len(answers)}"
            )
        told = sorted(heard.heard_ns.values())
        late_s = min(said - answer for said, answer in zip(told, answers, strict=False)) / 1e9
        if late_s > SOON_S:
            raise PreconditionError(
                f"expected one of {TURNS} outcomes to be told within {SOON_S:g} s after its broker "
                f"has answered, saw the soonest {late_s:.1f} s after that"
            )

    def _is_answered(self) -> None:
        """It was appended, and its answer says another thing."""
        with (
            self._at_work() as (talk, heard),
            self._gate.answering(PRODUCE, DENIED, done=True),
        ):
            (number,) = self._send(talk, ONE)
            talk.await_(lambda: heard.ended == 1, "tell the outcome", TIMEOUT_S)
        error = _not_refused(heard.error_of(number), "a record that was sent and answered")
        if error["code"] not in (DENIED, None):
            raise PreconditionError(
                f"expected the code {DENIED} of its answer, or null, saw {error['code']}"
            )

    def _is_not_answered(self) -> None:
        """It was appended, and nobody says so until its time is over."""
        with (
            self._at_work(delivery_timeout_s=PATIENCE_S) as (talk, heard),
            self._gate.holding(PRODUCE) as held,
        ):
            (number,) = self._send(talk, ONE)
            talk.await_(lambda: held.stands() or heard.ended == 1, "send a record", TIMEOUT_S)
            if heard.ended:
                raise PreconditionError(
                    "expected no outcome before its broker has answered, saw "
                    f"{dict(heard.errors.get(number, heard.ok))}"
                )
            until_s = time.monotonic() + 1.5 * PATIENCE_S
            talk.await_(
                lambda: heard.ended == 1 or time.monotonic() > until_s, "give it up", TIMEOUT_S
            )
            if not heard.ended:  # some libraries wait on, with what may have been appended
                held.pass_on()
                talk.await_(lambda: heard.ended == 1, "tell the outcome", TIMEOUT_S)
                if number in heard.ok:
                    return
        error = _not_refused(heard.error_of(number), "a record that was sent and not answered")
        if error["code"] in REFUSED:
            raise PreconditionError(
                f"expected no code of an answer that it never had, saw {error['code']}"
            )

    def _sends_once(self) -> None:
        with (
            self._at_work(idempotence=False, retries=0) as (talk, heard),
            self._gate.answering(PRODUCE, TOO_FEW, done=False),
        ):
            (number,) = self._send(talk, ONE)
            talk.await_(
                lambda: heard.ended == 1 or len(self._rows()) > 1, "tell the outcome", TIMEOUT_S
            )
            if (count := len(self._rows())) != 1:
                raise PreconditionError(
                    f"expected one attempt where {abilities.RETRIES} is 0, saw {count}"
                )
        error = _not_refused(heard.error_of(number), "a record whose broker refused it")
        if error["code"] not in (TOO_FEW, None):
            raise PreconditionError(
                f"expected the code {TOO_FEW} of its answer, or null, saw {error['code']}"
            )


def _is_done(row: Row) -> bool:
    """Its broker has said where it stands; of what is sent again it has not."""
    answered = row["answered_ns"] is not None and not row.get("error_code")
    return answered and row["base_offset"] is not None and row["base_offset"] >= 0


def _have_ended(heard: Heard, count: int) -> Callable[[], bool]:
    return lambda: heard.ended >= count


def _require(told: str, what: str, expected: set[Any], seen: set[Any] | frozenset[Any]) -> None:
    if seen != expected:
        raise PreconditionError(
            f"expected {told}: {what} {sorted(expected)}, saw {sorted(seen)} at the broker"
        )


def _not_refused(error: Event, what: str) -> Event:
    if error["refused"]:
        raise PreconditionError(
            f"expected refused to be false of {what}, for its library's own call took it, saw "
            f"{dict(error)!r:.300}"
        )
    return error
