"""What an adapter asks of brokers, as the gate sees it, and what it is answered there instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.rows import Row
from highwater.harness.gate.rules import Action, Match, Rule


class Standing:
    """Answers of one kind, held at the gate."""

    def __init__(self, handle: RuleHandle) -> None:
        self._handle = handle

    def stands(self) -> bool:
        """Whether a broker has answered, and its client has not been told."""
        return self._handle.counters()["standing"] > 0

    def pass_on(self) -> None:
        self._handle.pass_on()


class Watch:
    """Of a gate behind which there are brokers, and before it nobody but the adapter."""

    def __init__(self, gate: GateProcess) -> None:
        self._gate = gate
        self._rows: list[tuple[str, Row]] = []

    @contextmanager
    def watching(self, jars: Sequence[Path]) -> Iterator[None]:
        """These jars of kafka-clients say how messages are read."""
        with self._gate.rows.heard_by(self._hear):
            self._gate.describe(jars)
            self._gate.rows.see(jars)
            yield

    def _hear(self, table: str, row: Row) -> None:
        self._rows.append((table, row))

    def seen(self, table: str, since_ns: int = 0) -> list[Row]:
        """All rows of what was asked since then, answered or not."""
        self._gate.rows.give_up()
        return [
            row for named, row in list(self._rows) if named == table and row["asked_ns"] >= since_ns
        ]

    @contextmanager
    def answering(self, api: int, error: int, *, done: bool) -> Iterator[None]:
        """Each request of this api has this answer; `done`: its broker does as it was asked."""
        match = Match(stage="response" if done else "request", apis=(api,))
        handle = self._gate.add(Rule(match, Action("answer", error=error)))
        try:
            yield
        finally:
            handle.pass_on()

    @contextmanager
    def holding(self, api: int) -> Iterator[Standing]:
        """The answers to requests of this api stand; what stands in the end is not delivered."""
        handle = self._gate.add(Rule(Match(stage="response", apis=(api,))))
        standing = Standing(handle)
        try:
            yield standing
        finally:
            handle.drop()
