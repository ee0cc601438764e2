"""A migration is taken back: what has failed on the way goes on, and is not done again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.errors import DeadlineError, UsageError
from highwater.harness.migration import Migrate, Migration
from highwater.harness.scene import Scene
from highwater.harness.upgrades import Upgrades
from highwater.harness.versions.catalogue import find_kafka

OLD, NEW = find_kafka("3.9.1-zk"), find_kafka("3.9.1")
VOTER, CONTROLLER, OFFICE = 0, 300, 100
BROKERS = (1, 2, 3, OFFICE)


class Nodes:
    """Of a cluster of three brokers whose metadata have been copied."""

    controller = OFFICE

    def __init__(self, cluster: Any) -> None:
        self.down, self.left, self.fails = set[int](), set[int](), 0
        self.stopped = set[int]()
        self._cluster = cluster

    @property
    def voters(self) -> tuple[int, ...]:
        return (CONTROLLER,) if self._cluster.kafka.kraft else (VOTER,)

    @property
    def numbers(self) -> tuple[int, ...]:
        return (*BROKERS, *self.voters)

    def running(self, node: int) -> bool:
        return node not in self.down

    def frozen(self, node: int) -> bool:
        return node in self.stopped

    def runs(self, node: int) -> Any:
        return NEW if node in self.left else OLD

    def await_serving(self, _broker: int) -> None:
        """At once."""

    def give_up_migration(self) -> None:
        self.down.add(CONTROLLER)
        if self.fails:
            self.fails -= 1
            raise DeadlineError("ZooKeeper does not answer")
        self._cluster.kafka = OLD


class Moved:
    """A play whose brokers are restarted, as far as `done` says so."""

    def __init__(self) -> None:
        self.turns: list[tuple[str, int]] = []
        self.refuses: set[tuple[str, int]] = set()
        home = SimpleNamespace(move_controller=lambda to: self.turns.append(("home", to)))
        owners = SimpleNamespace(owners=BROKERS)
        self.cluster = SimpleNamespace(kafka=NEW, files=owners, metadata=home)
        self.nodes = self.cluster.nodes = Nodes(self.cluster)
        record = SimpleNamespace(runs=lambda *_: None, event=lambda *_, **__: None)
        scene = SimpleNamespace(
            cluster=self.cluster,
            record=record,
            step=lambda _text: None,
            sampler=SimpleNamespace(look_at=lambda _wheres: {}),
            demand=lambda _what, shown, *_: shown(),
        )
        self.upgrades = SimpleNamespace(wait_for_kraft=True, partitions=lambda: ())
        self.migration = Migration(
            cast("Scene", scene), self.restart, cast("Upgrades", self.upgrades)
        )
        self.migration._brokers, self.migration._done = BROKERS, ["copied"]

    def restart(self, fault: Any) -> None:
        assert isinstance(fault, Migrate)
        turn = (fault.stage, fault.node)
        if turn in self.refuses:
            self.refuses.discard(turn)
            raise DeadlineError(f"{turn} takes too long")
        self.turns.append(turn)
        self.nodes.left.discard(fault.node)


BEFORE = [("before", each) for each in BROKERS]
HOME = ("home", OFFICE)


def test_brokers_that_have_left_come_back_first_also_where_not_all_have() -> None:
    moved = Moved()
    moved.nodes.left = {1, 2}

    moved.migration.take_back()

    assert moved.turns == [("copied", 1), ("copied", 2), *BEFORE, HOME]
    assert not moved.upgrades.wait_for_kraft


@pytest.mark.parametrize("refused", [("copied", 2), ("before", 2), None])
def test_what_has_failed_goes_on_where_it_was(refused: tuple[str, int] | None) -> None:
    moved = Moved()
    moved.nodes.left = {1, 2}
    moved.nodes.fails, moved.refuses = (1, set()) if refused is None else (0, {refused})

    with pytest.raises(DeadlineError):
        moved.migration.take_back()
    moved.migration.take_back()

    assert [turn for turn in moved.turns if turn[0] == "copied"] == [("copied", 1), ("copied", 2)]
    assert moved.turns[-5:] == [*BEFORE, HOME]


def test_nobody_goes_on_to_kraft_while_the_way_back_is_not_over() -> None:
    moved = Moved()
    moved.nodes.fails = 1
    with pytest.raises(DeadlineError):
        moved.migration.take_back()

    with pytest.raises(UsageError, match=r"return_to_zookeeper\(\) goes on"):
        moved.migration.migrate("final")


def test_who_is_down_is_refused_before_anything_stops() -> None:
    moved = Moved()
    moved.nodes.down = {CONTROLLER}

    with pytest.raises(UsageError, match="node 300 is down"):
        moved.migration.take_back()

    assert moved.turns == []


def test_who_is_frozen_is_refused_before_anything_stops() -> None:
    moved = Moved()
    moved.nodes.stopped = {2}

    with pytest.raises(UsageError, match="node 2 is frozen"):
        moved.migration.take_back()

    assert moved.turns == []


def test_from_a_stage_final_that_has_failed_there_is_no_way_back() -> None:
    """A controller that was told so writes nothing to ZooKeeper any more."""
    moved = Moved()
    moved.migration._done = ["copied", "brokers"]
    moved.refuses = {("final", CONTROLLER)}
    with pytest.raises(DeadlineError):
        moved.migration.migrate("final")

    with pytest.raises(UsageError, match="saw one that is over"):
        moved.migration.take_back()
