"""Commits that members' libraries make by themselves: nobody says them, and the gate sees them."""

from __future__ import annotations

from typing import Any

from highwater.harness.clients.grouping import sees_clients
from highwater.harness.clients.member import Member
from highwater.harness.clients.settings import AUTO
from highwater.harness.errors import InfrastructureError
from highwater.harness.foreign.outcomes import COMMIT_REFUSED
from highwater.harness.gate.headers import OFFSET_COMMIT
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.gate.rows import Row
from highwater.harness.gate.traffic import COMMIT_REQUESTS
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import Outcome, told_as
from highwater.harness.scene import Scene


class SeenCommits(Lifetime):
    """Puts them into the table `commits` when the play ends, and tells members of them before.

    What a member says it has processed comes on another way than what the gate sees it commit. A
    record that ends anywhere must not have the one without the other, so commits come last. Where
    the gate could not read one of a group's none of them is told: what is left out may have been
    the last, and nobody can tell then of what lies below.
    """

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene
        self._members: dict[str, Member] = {}  # by their names
        self._seen: list[tuple[str, Row]] = []  # with the record's name of the topic

    def _begin(self) -> None:
        """Nobody is watched yet."""

    def watch(self, member: Member) -> None:
        """From now on, if its library commits by itself, and the gate stands where it is seen."""
        order, cluster = member.order, self._scene.cluster
        told = order if "command" in order else order["settings"]
        if told["commits"] != AUTO or not sees_clients(cluster):
            return
        if not self._members:
            rows = cluster.gate.rows
            self._ending.enter_context(rows.heard_by(self._hear))
            self._ending.callback(self._finish)
        self._members[member.name] = member

    def __contains__(self, client: object) -> bool:
        """Whether its commits are seen, so that nobody else need tell them."""
        return client in self._members

    def _hear(self, table: str, row: Row) -> None:
        member = self._members.get(row["client"] or "")
        if table != COMMIT_REQUESTS or member is None or row["transactional_id"] is not None:
            return
        if row["group"] != member.order["group"]:
            return
        told = told_as(row["topic"], member.order["incarnations"].get(row["topic"], 1))
        self._seen.append((told, row))
        if _outcome_of(row) is Outcome.OK:
            member.confirm(row["topic"], row["partition"], row["offset"])
        elif row["error_code"]:
            self._scene.note(f"{member.name}: a commit was answered by {_error_of(row)}")

    def _finish(self) -> None:
        """Without the last word of the gate nobody knows whether these are all."""
        try:
            self._scene.cluster.gate.rows.give_up()
        except InfrastructureError:
            self._scene.note(
                "the gate has died, so that of commits that libraries made by themselves none is "
                "on the record"
            )
            raise
        self._write()

    def _write(self) -> None:
        origin_ns, record = self._scene.record.origin_ns, self._scene.record
        unread = self._unread()
        for topic, row in self._seen:
            if row["group"] in unread:
                continue
            answered_ns = row["answered_ns"]
            told: dict[str, Any] = {name: row[name] for name in _SAME}
            told |= {"topic": topic, "invoked_ns": row["asked_ns"] - origin_ns}
            told["completed_ns"] = None if answered_ns is None else answered_ns - origin_ns
            told |= {"outcome": _outcome_of(row).value, "error": _error_of(row)}
            record.row("commits", told)

    def _unread(self) -> set[str]:
        """Groups of which a commit was not read."""
        found = set()
        for name, member in self._members.items():
            if not self._scene.cluster.gate.rows.are_whole(OFFSET_COMMIT, name):
                found.add(member.order["group"])
                self._scene.note(
                    f"{name}: a commit of it could not be read at the gate, so that of its group's "
                    "commits none is on the record; the timeline says why"
                )
        return found


_SAME = ("group", "client", "partition", "offset")


def _outcome_of(row: Row) -> Outcome:
    """Of what never reached the member nobody was told that it is committed."""
    if row["answered_ns"] is None:
        return Outcome.INVOKED
    if row["error_code"] == 0:
        return Outcome.OK
    return Outcome.FAILED if row["error_code"] in COMMIT_REFUSED else Outcome.UNKNOWN


def _error_of(row: Row) -> str | None:
    code = row["error_code"]
    if row["answered_ns"] is None or code == 0:
        return None
    if code is None:
        return "an answer that could not be read"
    return NAMES.get(code, f"error {code}")
