"""What an application shall make of each input, and what is recorded of what it made.

Positions are asked for before outputs are read, and these before inputs: of each input below a
position there is the output by then, if there ever will be, and of each output there is the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from highwater.harness.clients.contract_rows import ContractRows, Row, identities_of
from highwater.harness.clients.terms import Terms
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.contracted import positions_of

ASK_INTERVAL_S = 0.2


class Contract:
    """Of one application; the play records what the judge needs when all is read to its end."""

    def __init__(
        self,
        rows: ContractRows,
        topics: tuple[Topic, Topic | None],
        terms: Terms,
        is_well: Callable[[], bool],
    ) -> None:
        """`is_well` is asked of the application while somebody waits for it."""
        self.name = rows.name
        self._rows = rows
        self._inputs, self._into = topics
        self._terms, self._is_well = terms, is_well
        self._handed_over: Sequence[str | None] | None = None
        self._positions: Mapping[TopicPartition, int] | None = None

    def await_committed(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until the application's positions lie so many offsets higher than by now."""
        before = wait_until(lambda: (self.committed,), f"the positions of {self._group}")[0]
        wait_until(
            lambda: self._is_well() and self.committed >= before + records,
            f"{self.name} to commit {records} more as {self._group}",
            timeout_s,
            interval_s=ASK_INTERVAL_S,
        )

    def await_caught_up(self, timeout_s: float = 60.0) -> None:
        """Wait until the application has committed all that is committed in its inputs now.

        Where inputs come in transactions, or the application leaves its position before a marker,
        that may never be.
        """
        ends = self._rows.known_ends(self._inputs)
        wait_until(
            lambda: self._is_well() and self._is_beyond(ends),
            f"{self.name} to commit everything as {self._group}",
            timeout_s,
            interval_s=ASK_INTERVAL_S,
        )

    def _is_beyond(self, ends: Mapping[TopicPartition, int]) -> bool:
        told = self._told_positions()
        return all(told.get(where, 0) >= end for where, end in ends.items())

    @property
    def committed(self) -> int:
        """Below the application's positions: how many offsets of its inputs, of all partitions.

        Raises LookupError as long as nobody tells: `wait_until` asks again.
        """
        return sum(self._told_positions().values())

    def hand_over(self, read: Callable[[], Iterable[object]]) -> None:
        """What it made, where that is in no topic: rows of a database, say, or lines that it wrote.

        `read` is called once, now, after the application's position has been asked for, and gives
        for each output the identity of what it was made of: a text, a number, or None.
        """
        if self._into is not None or self._handed_over is not None:
            raise UsageError(
                f"expected {self.name} to have no topic of outputs, and to be handed them once"
            )
        self._positions = self._await_positions()
        self._handed_over = identities_of(read)
        count = len(self._handed_over)
        self._rows.scene.step(f"{count} outputs of {self.name} are handed over")

    def record(self) -> None:
        """Read inputs and outputs to their ends, and write down what the judge is to know.

        Raises PreconditionError where outputs were to be handed over and were not.
        """
        if self._into is None and self._handed_over is None:
            raise PreconditionError(f"expected outputs of {self.name} to be handed over, saw none")
        if self._positions is None:
            self._positions = self._await_positions()
        rows = [*self._outputs(), *self._input_rows()]
        rows += self._rows.done(self._positions)
        self._rows.keep(rows, self._positions)

    def _await_positions(self) -> Mapping[TopicPartition, int]:
        if not self._terms.group:
            return {}
        what = f"the coordinator to tell the positions of {self._group}"
        (found,) = wait_until(lambda: (self._told_positions(),), what)
        return found

    def _told_positions(self) -> Mapping[TopicPartition, int]:
        bootstrap, wheres = self._rows.scene.cluster.bootstrap, self._inputs.wheres
        return positions_of(bootstrap, self._group, wheres)

    @property
    def _group(self) -> str:
        """Raises UsageError where there is none."""
        if not self._terms.group:
            raise UsageError(f"expected {self.name} to have a group in its terms, saw none")
        return self._terms.group

    def _input_rows(self) -> Iterator[Row]:
        keeps = ",".join(sorted(self._terms.keeps)) or None
        demand = {"each": self._terms.each, "keeps": keeps}
        pattern, of_inputs = self._inputs.pattern, self._terms.of_inputs
        if of_inputs is None:
            of_inputs = "value" if pattern is None else pattern.identity
        yield from self._rows.inputs(self._inputs, of_inputs, demand)

    def _outputs(self) -> Iterator[Row]:
        if self._into is not None:
            yield from self._rows.outputs(self._into, self._terms.identity)
        else:
            yield from self._rows.made(self._handed_over or ())
