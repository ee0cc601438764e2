"""What members of groups commit, and what they are answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from typing import Any

from highwater.harness.clients.process import Event
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import Outcome
from highwater.harness.scene import Scene
from highwater.harness.workloads.handed import ABORTED

# Answers of a coordinator that has changed nothing; by their names in librdkafka.
REFUSED = frozenset(
    {
        ABORTED,
        "ILLEGAL_GENERATION",
        "UNKNOWN_MEMBER_ID",
        "REBALANCE_IN_PROGRESS",
        "FENCED_INSTANCE_ID",
        "STALE_MEMBER_EPOCH",
        "OFFSET_METADATA_TOO_LARGE",
        "INVALID_COMMIT_OFFSET_SIZE",
        "GROUP_AUTHORIZATION_FAILED",
        "TOPIC_AUTHORIZATION_FAILED",
    }
)

Position = tuple[str, int, int]  # topic, partition, offset


class Commits(Lifetime):
    """Puts commits into the table `commits` when they are answered, and at the end the others."""

    def __init__(self, scene: Scene, seen: Container[str] = ()) -> None:
        """`seen` are clients whose commits are told by somebody else."""
        super().__init__()
        self._seen = seen
        self._scene = scene
        # By member: what it has asked for, and when; a position may be asked for again.
        self._asked: dict[str, list[tuple[Position, dict[str, Any]]]] = defaultdict(list)

    def _begin(self) -> None:
        self._ending.callback(self._leave_open)

    def hear(self, client: str, event: Event) -> None:
        """That a member is about to commit, or has been answered."""
        if client in self._seen:
            return
        at_ns = event["at_ns"] - self._scene.record.origin_ns
        if event["event"] == "commit":
            for topic, partition, offset in event["offsets"]:
                row = {"group": event["group"], "client": client, "invoked_ns": at_ns}
                row["transaction"] = event.get("transaction")
                self._asked[client].append(((topic, partition, offset), row))
            return
        for *position, error in event["offsets"]:
            asked = self._asked[client]
            # The first time that it asked for it and was not answered yet, if there is one.
            mine = next((each for each in asked if each[0] == tuple(position)), None)
            if mine is not None:
                asked.remove(mine)
                self._tell(mine[0], {**mine[1], "completed_ns": at_ns}, error)
        for error in sorted({error for *_, error in event["offsets"] if error is not None}):
            self._scene.note(f"{client}: a commit was answered by {error}")

    def _tell(self, position: Position, row: dict[str, Any], error: str | None) -> None:
        if "completed_ns" not in row:
            outcome = Outcome.INVOKED
        elif error is None:
            outcome = Outcome.OK
        else:
            outcome = Outcome.FAILED if error in REFUSED else Outcome.UNKNOWN
        where = dict(zip(("topic", "partition", "offset"), position, strict=True))
        row = {**row, **where, "outcome": outcome.value, "error": error}
        self._scene.record.row("commits", row)

    def _leave_open(self) -> None:
        """Of members that were killed, or ended before they had their answer."""
        for mine in self._asked.values():
            for position, row in mine:
                self._tell(position, row, None)
