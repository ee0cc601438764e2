"""Whether an adapter's transactions keep to the protocol: what is asked, on a real broker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign import abilities, transactional
from highwater.harness.foreign.ground import TIMEOUT_S, Ground, life
from highwater.harness.foreign.lines import ABORT, BEGIN, COMMIT, PRODUCER, Event
from highwater.harness.foreign.talk import Talk
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings

RECORDS = 20  # of a transaction
TOO_LARGE = "x" * 3_000_000  # a record of three times what brokers take
PATIENCE_S = 6.0  # delivery.timeout.ms of the adapter
OPEN_S = 60.0  # transaction.timeout.ms: nobody else is to end one of these


@dataclass(slots=True)
class Said:
    """What an adapter said in one life."""

    answers: list[Event] = field(default_factory=list)
    ended: int = 0  # records

    def __call__(self, event: Event) -> None:
        if event["event"] == "transaction":
            self.answers.append(event)
        elif event["event"] in ("ok", "error"):
            self.ended += len(event["records"])


@dataclass(slots=True)
class Life:
    """A producer with a transactional id."""

    talk: Talk
    said: Said
    send: Callable[[Talk, Sequence[str]], None]

    def step(self, step: str) -> Event | None:
        """Its answer; None where it can do nothing more."""
        before = len(self.said.answers)
        self.talk.say({"do": "transaction", "step": step})
        self.talk.await_(
            lambda: len(self.said.answers) > before or bool(self.talk.rules.fatal),
            f"answer {step}",
            TIMEOUT_S,
        )
        return self.said.answers[before] if len(self.said.answers) > before else None

    def does(self, step: str) -> None:
        """Raises PreconditionError where it cannot."""
        answer = self.step(step)
        if answer is None or answer["error"] is not None:
            seen = self.talk.rules.fatal if answer is None else dict(answer)
            raise PreconditionError(f"expected {step} to be answered without an error, saw {seen}")

    def cannot(self, step: str) -> Event | None:
        """Raises PreconditionError where it can."""
        answer = self.step(step)
        if answer is not None and answer["error"] is None:
            raise PreconditionError(f"expected {step} to be answered by an error, saw none")
        return answer

    def sends(self, values: Sequence[str]) -> None:
        """Until the outcome of each is known."""
        before = self.said.ended
        self.send(self.talk, values)
        self.talk.await_(
            lambda: self.said.ended >= before + len(values), "tell all outcomes", TIMEOUT_S
        )


class TransactionsConformance:
    """Of one adapter; each rule is tried with a transactional id of its own."""

    def __init__(self, command: Sequence[str], ground: Ground, hello: Event) -> None:
        self._command, self._ground, self._hello = command, ground, hello
        self._ids = itertools.count(0, 1_000_000)
        self._names = (f"conformance-{number}" for number in itertools.count(1))

    def rules(self) -> Mapping[str, Callable[[], None]]:
        """By what they say."""
        return {
            "in transactions: what it is said to have committed is there": self._commits,
            "in transactions: what it is said to have aborted is not": self._aborts,
            "in transactions: does not commit where a record has failed": self._refuses,
            "in transactions: who comes with its id ends what it had open": self._is_fenced,
        }

    @contextmanager
    def _life(self, name: str) -> Iterator[Life]:
        said = Said()
        chosen = abilities.fitted(self._hello, ProducerSettings(), self._ground.kafka)
        brief = ProducerSettings(
            idempotence=chosen.idempotence,
            delivery_timeout_s=PATIENCE_S,
            transaction_timeout_s=OPEN_S,
        )
        settings = transactional.told(self._hello, brief) | {transactional.ID: name}
        line = {"role": PRODUCER, "bootstrap": self._ground.bootstrap, "settings": settings}
        with life(self._command, said, line) as talk:
            yield Life(talk, said, self._send)

    def _send(self, talk: Talk, values: Sequence[str]) -> None:
        first = next(self._ids)
        line = {"topic": self._ground.topic, "partition": 0, "values": list(values)}
        talk.produce(range(first, first + len(values)), line)

    def _commits(self) -> None:
        values = _values("committed")
        with self._life(next(self._names)) as one:
            one.does(BEGIN)
            self._send(one.talk, values)
            one.does(COMMIT)
        self._require(values)

    def _aborts(self) -> None:
        """What is committed afterwards is there, and so it would be."""
        aborted, values = _values("aborted"), _values("after an abort")
        with self._life(next(self._names)) as one:
            one.does(BEGIN)
            one.sends(aborted)
            one.does(ABORT)
            one.does(BEGIN)
            self._send(one.talk, values)
            one.does(COMMIT)
        self._require(values, never=aborted)

    def _refuses(self) -> None:
        failed, values = _values("beside one that failed"), _values("after a failure")
        with self._life(next(self._names)) as one:
            one.does(BEGIN)
            one.sends([*failed, TOO_LARGE])
            answer = one.cannot(COMMIT)
            if answer is None or answer["demands"] != ABORT:
                raise PreconditionError(
                    f"expected commit to demand {ABORT!r} where a record was too large, saw "
                    f"{answer and dict(answer)}"
                )
            one.does(ABORT)
            one.does(BEGIN)
            self._send(one.talk, values)
            one.does(COMMIT)
        self._require(values, never=failed)

    def _is_fenced(self) -> None:
        name, fenced, values = next(self._names), _values("of a zombie"), _values("of its heir")
        with self._life(name) as zombie:
            zombie.does(BEGIN)
            zombie.sends(fenced)
            with self._life(name) as heir:
                zombie.cannot(COMMIT)
                heir.does(BEGIN)
                self._send(heir.talk, values)
                heir.does(COMMIT)
        self._require(values, never=fenced)

    def _require(self, values: Sequence[str], never: Sequence[str] = ()) -> None:
        """These are there, each once and in their order; markers are written after the answer."""

        def lying(wanted: Sequence[str]) -> list[str]:
            texts = [(value or b"").decode() for _, value in self._ground.read()]
            return [text for text in texts if text in wanted]

        what = f"the {len(values)} records of a transaction that is said to be committed"
        wait_until(lambda: lying(values) == [*values], f"{what} to be there", TIMEOUT_S)
        if found := lying(never):
            raise PreconditionError(
                f"expected no record of a transaction that was not committed, saw {len(found)}"
            )


def _values(what: str) -> list[str]:
    return [f"highwater {what} {number}" for number in range(RECORDS)]
