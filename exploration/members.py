"""Members of a group, by hand, one after the other: whoever takes it over is alone in it.

The one before is told out of the group and hears nothing of that, as an application that stands
still. The position that it had come to it may commit whenever it goes on: a coordinator refuses
that (ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID), or the group's position would go back.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from highwater.exploration.asking import PATIENCE_S, is_not_now
from highwater.exploration.committers import NOTHING, Committer
from highwater.harness.errors import ENVIRONMENT
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.probes.coordinators import (
    Joined,
    find_coordinator,
    join_group,
    leave_group,
    sync_group,
)
from highwater.harness.probes.positions import commit_as_member
from highwater.harness.probes.wire import AnswerError, Wire

SESSION_MS = 300_000  # no schedule takes so long, and so nobody has to send heartbeats
UNKNOWN = "UNKNOWN_MEMBER_ID"


@dataclass(frozen=True, slots=True)
class Member:
    """`known` is how its coordinator knows it, `broker` who that was when it joined."""

    client: str
    known: tuple[int, str]
    broker: int


@dataclass(frozen=True, slots=True)
class Former:
    """A member that the group has gone on without, and the position that it had come to."""

    member: Member
    position: int


class Members:
    """Of one group; one request of theirs is under way at a time."""

    def __init__(self, committer: Committer) -> None:
        self.present: Member | None = None
        self.former: Former | None = None
        self._committer = committer
        self._count = 0
        self._there: set[str] = set()  # names of who joined, and of whom nobody said it is gone

    @property
    def have_begun(self) -> bool:
        return self._count > 0

    @property
    def are_overtaken(self) -> bool:
        """Something was confirmed that lies above what the former one may yet commit."""
        former, confirmed = self.former, self._committer.confirmed
        return former is not None and former.position < max(confirmed, default=NOTHING)

    def __str__(self) -> str:
        words = ["member" if self.present else "nobody"]
        words.append("busy" if self._committer.is_busy else "")
        words.append(("overtaken" if self.are_overtaken else "former") if self.former else "")
        return " ".join(filter(None, words))

    # -- what a schedule has them do; each returns at once

    def take_over(self) -> None:
        """The present one is told out, and another one joins."""
        self._count += 1
        gone, self.present = self.present, None
        former = None if gone is None else Former(gone, self._committer.next_position())
        self._committer.begin(lambda: self._take_over(former))

    def commit(self) -> None:
        """The present one commits the next position, wherever its coordinator is by now."""
        member, position = self.present, self._committer.next_position()
        if member is not None:
            ask = partial(self._anywhere, member, position)
            self._committer.begin(lambda: self._committer.send(position, member.client, ask))

    def commit_as_former(self) -> None:
        """The former one commits what it had come to, at the broker that it knows."""
        former, self.former = self.former, None
        if former is not None:
            ask = partial(self._where_it_was, former.member, former.position)
            client = former.member.client
            self._committer.begin(lambda: self._committer.send(former.position, client, ask))

    def leave(self) -> None:
        """All are told out: whoever takes the group over next need not join."""
        self.present = None
        with suppress(*ENVIRONMENT):
            self._all_leave()

    # -- one request after the other

    def _take_over(self, former: Former | None) -> None:
        self._all_leave()
        self.former = former or self.former  # who has not been told out is in the group still
        asking = self._committer.asking
        joined = asking.coordinator(self._join)
        self._there.add(joined.member)
        # Nobody joins again where the coordinator moves meanwhile: it would be another member.
        self.present = asking.coordinator(lambda wire: self._sync(wire, joined))

    def _all_leave(self) -> None:
        group, asking = self._committer.group, self._committer.asking
        for name in sorted(self._there):
            try:
                asking.coordinator(partial(leave_group, group=group, member=name))
            except AnswerError as error:
                if NAMES.get(error.code) != UNKNOWN:
                    raise
            self._there.discard(name)

    def _join(self, wire: Wire) -> Joined:
        group, kafka = self._committer.group, self._committer.play.cluster.kafka
        return join_group(kafka, wire, group, session_ms=SESSION_MS)

    def _sync(self, wire: Wire, joined: Joined) -> Member:
        group, known = self._committer.group, (joined.generation, joined.member)
        sync_group(wire, group, known, {joined.member: b""})
        client = f"{self._committer.name}-member-{self._count}"
        return Member(client, known, find_coordinator(wire, group))

    def _anywhere(self, member: Member, position: int) -> None:
        self._committer.asking.coordinator(lambda wire: self._commit(wire, member, position))

    def _where_it_was(self, member: Member, position: int) -> None:
        address = self._committer.play.cluster.address(member.broker)
        try:
            with closing(Wire.at(address, PATIENCE_S)) as wire:
                self._commit(wire, member, position)
        except ENVIRONMENT as error:  # a client asks then who coordinates by now
            if isinstance(error, AnswerError) and not is_not_now(error):
                raise
            self._anywhere(member, position)

    def _commit(self, wire: Wire, member: Member, position: int) -> None:
        group, where = self._committer.group, self._committer.where
        commit_as_member(wire, group, where, position, member.known)
