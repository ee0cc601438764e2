"""What an application shall make of each input, and what is recorded of what it made.

Positions are asked for before outputs are read, and these before inputs: of each input below a
position there is the output by then, if there ever will be, and of each output there is the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from highwater.harness.clients.terms import Identifier, Terms, identifier, text_of
from highwater.harness.errors import HighwaterError, PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.contracted import Content, Found, Whole, positions_of
from highwater.harness.workloads.keys import hash_of

Row = dict[str, Any]
Ends = Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]

INPUT, OUTPUT, POSITION = "input", "output", "position"
INPUTS_END, OUTPUTS_END = "inputs-end", "outputs-end"
HANDED_OVER = "handed-over"  # what stands where an output's topic would
ASK_INTERVAL_S = 0.2


class Contract:
    """Of one application; the play records what the judge needs when all is read to its end."""

    def __init__(self, name: str, topics: tuple[Topic, Topic | None], terms: Terms) -> None:
        self.name = name
        self._inputs, self._into = topics
        self._terms = terms
        self._handed_over: Sequence[str | None] | None = None
        self._positions: Mapping[TopicPartition, int] | None = None
        self._scene: Scene
        self._ends: Ends
        self._is_well: Callable[[], bool]

    def within(self, scene: Scene, ends: Ends, is_well: Callable[[], bool]) -> Contract:
        """Of this play; `is_well` is asked of the application while somebody waits for it."""
        self._scene, self._ends, self._is_well = scene, ends, is_well
        return self

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
        ends = self._known_ends(self._inputs)
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
        self._handed_over = [text_of(each) for each in read()]
        count = len(self._handed_over)
        self._scene.step(f"{count} outputs of {self.name} are handed over")

    def record(self) -> None:
        """Read inputs and outputs to their ends, and write down what the judge is to know.

        Raises PreconditionError where outputs were to be handed over and were not.
        """
        if self._into is None and self._handed_over is None:
            raise PreconditionError(f"expected outputs of {self.name} to be handed over, saw none")
        if self._positions is None:
            self._positions = self._await_positions()
        rows = [*self._outputs(), *self._input_rows()]
        rows += [
            self._row(POSITION, where, position) for where, position in self._positions.items()
        ]
        self._scene.record.table("contracts", rows)
        counts = {side: sum(row["tells"] == side for row in rows) for side in (INPUT, OUTPUT)}
        text = f"{self.name}: {counts[OUTPUT]} outputs of {counts[INPUT]} inputs"
        told = {str(where): position for where, position in self._positions.items()}
        self._scene.record.event("read", text, positions=told)

    def _await_positions(self) -> Mapping[TopicPartition, int]:
        if not self._terms.group:
            return {}
        what = f"the coordinator to tell the positions of {self._group}"
        (found,) = wait_until(lambda: (self._told_positions(),), what)
        return found

    def _told_positions(self) -> Mapping[TopicPartition, int]:
        bootstrap, wheres = self._scene.cluster.bootstrap, self._inputs.wheres
        return positions_of(bootstrap, self._group, wheres)

    @property
    def _group(self) -> str:
        """Raises UsageError where there is none."""
        if not self._terms.group:
            raise UsageError(f"expected {self.name} to have a group in its terms, saw none")
        return self._terms.group

    def _known_ends(self, topic: Topic) -> Mapping[TopicPartition, int]:
        what = f"brokers to tell the ends of {topic.name}"
        return wait_until(lambda: self._ends(topic.wheres), what)

    def _input_rows(self) -> Iterator[Row]:
        keeps = ",".join(sorted(self._terms.keeps)) or None
        demand = {"each": self._terms.each, "keeps": keeps}
        pattern, of_inputs = self._inputs.pattern, self._terms.of_inputs
        if of_inputs is None:
            of_inputs = "value" if pattern is None else pattern.identity
        yield from self._read(self._inputs, of_inputs, (INPUT, INPUTS_END), demand)

    def _outputs(self) -> Iterator[Row]:
        if self._into is not None:
            yield from self._read(self._into, self._terms.identity, (OUTPUT, OUTPUTS_END), {})
            return
        place = TopicPartition(HANDED_OVER)
        handed_over = self._handed_over or ()
        for number, identity in enumerate(handed_over):
            yield self._row(OUTPUT, place, number, identity=identity)
        yield self._row(OUTPUTS_END, place, len(handed_over))

    def _read(
        self, topic: Topic, told: Any, sides: tuple[str, str], more: Mapping[str, Any]
    ) -> Iterator[Row]:
        of_record, of_end = sides
        ends = self._known_ends(topic)
        whole = Whole(self._scene.cluster.bootstrap, ends)
        identify = _Identify(identifier(told), self._scene.note)
        for found in whole.read():
            row = self._row(of_record, found.where, found.offset, identity=identify(found))
            yield {**row, "key_hash": hash_of(found.content.key), **more}
        identify.tell(topic.name)
        for where, end in ends.items():
            if whole.first.get(where) == 0 and not self._is_compacted(topic):
                yield self._row(of_end, where, end)

    def _is_compacted(self, topic: Topic) -> bool:
        """By its own settings, or else as any of its brokers does it where a topic says nothing."""
        identity = self._scene.record.identity
        own = identity.get("topics", {}).get(topic.told_as, {})
        every = [identity.get("settings"), *(identity.get("broker_settings") or {}).values()]
        brokers = [each.get("log.cleanup.policy", "") for each in every if each]
        told = [own["cleanup.policy"]] if "cleanup.policy" in own else brokers
        return any("compact" in str(policy) for policy in told)

    def _row(self, tells: str, where: TopicPartition, offset: int, **more: Any) -> Row:
        place = {"topic": where.told_as, "partition": where.partition, "offset": offset}
        return {"contract": self.name, "tells": tells, **place, **more}


class _Identify:
    """A user's function, which may break: then nobody knows what the record is."""

    def __init__(self, identity: Identifier, note: Callable[[str], None]) -> None:
        self._identity = identity
        self._note = note
        self._failures: list[str] = []

    def __call__(self, found: Found) -> str | None:
        content: Content = found.content
        try:
            return self._identity(content)
        except HighwaterError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the user's
            self._failures.append(f"{found.where} at offset {found.offset}: {error!r}")
            return None

    def tell(self, topic: str) -> None:
        """What went wrong first, and how often."""
        if self._failures:
            count, first = len(self._failures), self._failures[0]
            self._note(f"no identity of {count} records of {topic}, the first: {first:.300}")
