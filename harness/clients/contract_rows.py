"""Rows of the table `contracts`: what an application was given, and what it made, by identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from highwater.harness.clients.terms import Identifier, Identity, identifier, text_of
from highwater.harness.errors import HighwaterError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.contracted import Content, Found, Whole
from highwater.harness.workloads.keys import hash_of

Row = dict[str, Any]
Identities = Sequence[str | None]
Ends = Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]

INPUT, OUTPUT, POSITION = "input", "output", "position"
INPUTS_END, OUTPUTS_END = "inputs-end", "outputs-end"
HANDED_OVER = "handed-over"  # what stands where a topic would


class ContractRows:
    """Of one contract of a play."""

    def __init__(self, name: str, scene: Scene, ends: Ends) -> None:
        self.name = name
        self.scene = scene
        self._ends = ends

    def known_ends(self, topic: Topic) -> Mapping[TopicPartition, int]:
        """How far each partition goes."""
        what = f"brokers to tell the ends of {topic.name}"
        return wait_until(lambda: self._ends(topic.wheres), what)

    def inputs(self, topic: Topic, told: Identity, demand: Mapping[str, Any]) -> Iterator[Row]:
        """All records of a topic, and its ends where nothing was taken away there."""
        yield from self._read(topic, told, (INPUT, INPUTS_END), demand)

    def outputs(self, topic: Topic, told: Identity) -> Iterator[Row]:
        """The same of what was made."""
        yield from self._read(topic, told, (OUTPUT, OUTPUTS_END), {})

    def given(
        self, identities: Identities, partition: int, demand: Mapping[str, Any]
    ) -> Iterator[Row]:
        """Inputs that are in no topic."""
        yield from self._handed_over(INPUT, identities, partition, demand)

    def made(self, identities: Identities) -> Iterator[Row]:
        """Outputs that are in no topic, all of them."""
        yield from self._handed_over(OUTPUT, identities, 0, {})
        yield self._row(OUTPUTS_END, TopicPartition(HANDED_OVER), len(identities))

    def given_to_the_end(self, count: int, partition: int) -> Row:
        """That these were all inputs which are in no topic."""
        return self._row(INPUTS_END, TopicPartition(HANDED_OVER, partition), count)

    def done(self, positions: Mapping[TopicPartition, int]) -> Iterator[Row]:
        """Below these positions the application has done with its inputs."""
        for where, position in positions.items():
            yield self._row(POSITION, where, position)

    def _read(
        self, topic: Topic, told: Identity, sides: tuple[str, str], more: Mapping[str, Any]
    ) -> Iterator[Row]:
        of_record, of_end = sides
        ends = self.known_ends(topic)
        whole = Whole(self.scene.cluster.bootstrap, ends)
        identify = _Identify(identifier(told), self.scene.note)
        for found in whole.read():
            row = self._row(of_record, found.where, found.offset, identity=identify(found))
            yield {**row, "key_hash": hash_of(found.content.key), **more}
        identify.tell(topic.name)
        for where, end in ends.items():
            if whole.first.get(where) == 0 and not self._is_compacted(topic):
                yield self._row(of_end, where, end)

    def _handed_over(
        self, tells: str, identities: Identities, partition: int, more: Mapping[str, Any]
    ) -> Iterator[Row]:
        place = TopicPartition(HANDED_OVER, partition)
        for number, identity in enumerate(identities):
            yield self._row(tells, place, number, identity=identity, **more)

    def _row(self, tells: str, where: TopicPartition, offset: int, **more: Any) -> Row:
        place = {"topic": where.told_as, "partition": where.partition, "offset": offset}
        return {"contract": self.name, "tells": tells, **place, **more}

    def keep(self, rows: Sequence[Row], positions: Mapping[TopicPartition, int]) -> None:
        """Write them down; the timeline has how many there are."""
        self.scene.record.table("contracts", rows)
        counts = {side: sum(row["tells"] == side for row in rows) for side in (INPUT, OUTPUT)}
        text = f"{self.name}: {counts[OUTPUT]} outputs of {counts[INPUT]} inputs"
        told = {str(where): position for where, position in positions.items()}
        self.scene.record.event("read", text, positions=told)

    def _is_compacted(self, topic: Topic) -> bool:
        """By its own settings, or else as any of its brokers does it where a topic says nothing."""
        identity = self.scene.record.identity
        own = identity.get("topics", {}).get(topic.told_as, {})
        every = [identity.get("settings"), *(identity.get("broker_settings") or {}).values()]
        brokers = [each.get("log.cleanup.policy", "") for each in every if each]
        told = [own["cleanup.policy"]] if "cleanup.policy" in own else brokers
        return any("compact" in str(policy) for policy in told)


def identities_of(read: Callable[[], Iterable[object]]) -> Identities:
    """What somebody hands over, called once; raises UsageError for what is none."""
    told = read() if callable(read) else None
    if not isinstance(told, Iterable) or isinstance(told, str | bytes):
        raise UsageError(
            "expected a function that returns identities, such as lambda: [17, 18], saw "
            f"{read if told is None else told!r:.120}"
        )
    return [text_of(each) for each in told]


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
