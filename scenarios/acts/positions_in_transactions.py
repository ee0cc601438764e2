"""A producer that commits positions of a group in transactions, one request at a time."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from highwater.harness.gate.headers import TXN_OFFSET_COMMIT
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import (
    add_group,
    begin_anew,
    end_transaction,
    find_transaction_coordinator,
    position_body,
    read_positioned,
)
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.by_hand import wires

TIMEOUT_MS = 60_000
COMPLETE_S = 30.0


class Positioning:
    """Of one transactional id; who coordinates the group is asked by `coordinator`."""

    def __init__(self, name: str, group: str, asked: Wire, coordinator: Wire) -> None:
        self.name, self.group, self.coordinator, self._asked = name, group, coordinator, asked
        self._owner = wait_until(partial(begin_anew, asked, name, TIMEOUT_MS), f"{name} to begin")

    def begin(self) -> None:
        """The transaction has positions of the group; waits until the one before is complete."""

        def added() -> bool:
            add_group(self._asked, self.name, self._owner, self.group)
            return True

        wait_until(added, f"the transaction of {self.name} before to be complete", COMPLETE_S)

    def commit_position(self, where: TopicPartition, position: int) -> None:
        """Raises AnswerError."""
        body = position_body(self.name, self._owner, (self.group, where, position), 0)
        code = read_positioned(self.coordinator.ask(TXN_OFFSET_COMMIT, 0, body))
        if code:
            raise AnswerError(f"position {position} of {self.group} in a transaction", code)

    def end(self, *, commit: bool) -> None:
        end_transaction(self._asked, self.name, self._owner, commit=commit, raises_epoch=False)


@contextmanager
def positioning(play: Play, name: str, group: str, coordinator: int) -> Generator[Positioning]:
    """A producer of this transactional id, and a broker that coordinates the group."""
    play.scene.transacts(name)
    with wires(play, coordinator) as (wire,):
        found = partial(find_transaction_coordinator, wire, name)
        with wires(play, wait_until(found, f"who coordinates {name}")) as (asked,):
            yield Positioning(name, group, asked, wire)
