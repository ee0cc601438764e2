"""Commits that nobody says: the claims about groups judge what the gate saw of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    commit,
    consumer,
    poll,
    processed,
    producer,
    replicas,
    send,
    stored,
)

from highwater.harness.clients.seen_commits import SeenCommits
from highwater.harness.cluster import LINKS
from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.headers import OFFSET_COMMIT
from highwater.harness.gate.messages.errors import CODES
from highwater.harness.gate.rows import Rows
from highwater.harness.gate.traffic import COLUMNS, COMMIT_REQUESTS

ORIGIN_NS = 1_000_000
HANDED = [poll(value, value) for value in range(6)]
GENERATION_IS_OVER = CODES["ILLEGAL_GENERATION"]


def asked(offset: int, at: tuple[int, int | None], **more: Any) -> list[Any]:
    """A row as the gate tells it, of billing-1 and orders-0."""
    told = {
        "asked_ns": at[0] + ORIGIN_NS,
        "answered_ns": None if at[1] is None else at[1] + ORIGIN_NS,
        "broker": 1,
        "client": "billing-1",
        "group": "billing",
        "member": "billing-1-7",
        "generation": 3,
        "transactional_id": None,
        "topic": "orders",
        "partition": 0,
        "offset": offset,
        "error_code": None if at[1] is None else 0,
        **more,
    }
    return [told[name] for name in COLUMNS[COMMIT_REQUESTS]]


class Member:
    """One whose library commits by itself, as far as is asked of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        settings = {"commits": "auto"}
        self.order = {"group": "billing", "settings": settings, "incarnations": {}}
        self.confirmed: list[int] = []

    def confirm(self, _topic: str, _partition: int, offset: int) -> None:
        self.confirmed.append(offset)


def seen(
    *rows: list[Any],
    notes: list[str] | None = None,
    member: Any = None,
    unread: tuple[int, str | None] | None = None,
) -> list[Row]:
    """What is on the record of commits of billing-1 and billing-2 that the gate has told of."""
    kept: list[Row] = []
    asks: list[str] = []
    of_gate = Rows(lambda command, **_more: asks.append(command))
    of_gate.is_between = True
    record = SimpleNamespace(origin_ns=ORIGIN_NS, row=lambda table, row: kept.append((table, row)))
    cluster = SimpleNamespace(has={LINKS}, gate=SimpleNamespace(rows=of_gate))
    noted = [] if notes is None else notes
    scene: Any = SimpleNamespace(record=record, cluster=cluster, note=noted.append)
    members: list[Any] = [member or Member("billing-1"), Member("billing-2")]
    with SeenCommits(scene) as commits:
        for each in members:
            commits.watch(each)
        of_gate.hear({COMMIT_REQUESTS: rows})
        if unread is not None:
            of_gate.hear_unread(*unread)
        assert kept == []
    assert asks == ["give_up"]
    return kept


def test_what_was_committed_after_it_was_processed_is_in_order(both_say: Say) -> None:
    commits = seen(asked(3, (2, 3)), asked(6, (5, 6)))

    said = both_say("unprocessed", HANDED, processed(0, 3), processed(3, 6), commits)

    assert (said.answer, said.considered, said.anomalies) == (HELD, 6, 0)


def test_what_a_library_commits_and_nobody_processes_is_left_undone(both_say: Say) -> None:
    commits = seen(asked(2, (2, 3)), asked(4, (5, 6)))

    said = both_say("unprocessed", HANDED, processed(0, 3), commits)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert [each["offset"] for each in said.witnesses] == [3]


def test_where_the_gate_saw_no_commit_nobody_knows_what_is_undone(both_say: Say) -> None:
    said = both_say("unprocessed", HANDED, processed(0, 3), seen())

    assert said.answer is UNKNOWN


def test_where_the_gate_has_died_nobody_knows_whether_it_had_told_of_all(both_say: Say) -> None:
    def dead(_command: str, **_more: Any) -> None:
        raise InfrastructureError("the gate has died")

    kept: list[Row] = []
    of_gate = Rows(dead)
    of_gate.is_between = True
    record = SimpleNamespace(origin_ns=ORIGIN_NS, row=lambda table, row: kept.append((table, row)))
    cluster = SimpleNamespace(has={LINKS}, gate=SimpleNamespace(rows=of_gate))
    notes: list[str] = []
    scene: Any = SimpleNamespace(record=record, cluster=cluster, note=notes.append)
    member: Any = Member("billing-1")

    commits = SeenCommits(scene).__enter__()
    commits.watch(member)
    of_gate.hear({COMMIT_REQUESTS: [asked(3, (2, 3))]})
    with pytest.raises(InfrastructureError):
        commits.__exit__(None, None, None)

    assert both_say("unprocessed", HANDED, processed(0, 3), kept).answer is UNKNOWN
    assert len(notes) == 1


@pytest.mark.parametrize("client", ["billing-1", "billing-2", None])
def test_where_a_commit_of_its_group_was_not_read_nobody_can_tell_what_is_undone(
    both_say: Say, client: str | None
) -> None:
    notes: list[str] = []

    commits = seen(asked(4, (5, 6)), notes=notes, unread=(OFFSET_COMMIT, client))
    said = both_say("unprocessed", HANDED, processed(0, 3), commits)

    assert said.answer is UNKNOWN
    assert len(notes) == (2 if client is None else 1)
    assert all("a commit of it could not be read at the gate" in note for note in notes)


def test_what_somebody_else_commits_may_be_unread(both_say: Say) -> None:
    commits = seen(asked(4, (5, 6)), unread=(OFFSET_COMMIT, "somebody else"))

    assert both_say("unprocessed", HANDED, processed(0, 3), commits).answer is VIOLATED


def test_a_commit_that_its_member_never_heard_of_is_no_position(both_say: Say) -> None:
    """As one whose answer was held at the gate: it may count, and it may not."""
    told = asked(6, (5, None), error_code=0)
    member = Member("billing-1")

    commits = seen(asked(3, (2, 3)), told, member=member)
    said = both_say("unprocessed", HANDED, processed(0, 3), commits)

    assert (said.answer, said.considered) == (HELD, 3)
    assert [row["outcome"] for _, row in commits] == ["ok", "invoked"]
    assert member.confirmed == [3]


def test_a_commit_that_was_refused_has_changed_nothing(both_say: Say) -> None:
    notes: list[str] = []
    refused = asked(6, (5, 6), error_code=GENERATION_IS_OVER)
    unsure = asked(5, (7, 8), error_code=CODES["REQUEST_TIMED_OUT"])

    commits = seen(asked(3, (2, 3)), refused, unsure, notes=notes)
    said = both_say("unprocessed", HANDED, processed(0, 3), commits)

    assert said.answer is HELD
    assert [row["outcome"] for _, row in commits] == ["ok", "failed", "unknown"]
    assert [row["error"] for _, row in commits][1:] == ["ILLEGAL_GENERATION", "REQUEST_TIMED_OUT"]
    assert notes == [
        "billing-1: a commit was answered by ILLEGAL_GENERATION",
        "billing-1: a commit was answered by REQUEST_TIMED_OUT",
    ]


def test_what_others_commit_is_nothing_of_its_members(both_say: Say) -> None:
    of_others = [
        asked(6, (2, 3), client="somebody"),
        asked(6, (2, 3), group="audit"),
        asked(6, (2, 3), transactional_id="tx"),
    ]

    assert seen(*of_others) == []
    assert both_say("unprocessed", HANDED, processed(0, 3), seen(*of_others)).answer is UNKNOWN


@pytest.mark.parametrize(("again", "answer"), [(4, VIOLATED), (8, HELD)])
def test_commits_of_two_members_go_back_or_do_not(
    both_say: Say, again: int, answer: object
) -> None:
    commits = seen(asked(6, (2, 3)), asked(again, (5, 6), client="billing-2"))

    assert both_say("commit-regression", commits).answer is answer


@pytest.mark.parametrize(("began_ns", "answer"), [(10, VIOLATED), (2, HELD)])
def test_who_takes_over_is_handed_again_what_was_committed_or_is_not(
    both_say: Say, began_ns: int, answer: object
) -> None:
    heir = consumer("billing-2", client_id="billing-2", group_id="billing", began_ns=began_ns)
    first = consumer("billing-1", client_id="billing-1", group_id="billing", began_ns=0)
    mine = [poll(value, value, client="billing-1") for value in range(3)]
    again = {"client": "billing-2", "invoked_ns": 20, "completed_ns": 20}

    said = both_say("handed-again", first, heir, mine, poll(1, 1, **again), seen(asked(3, (6, 7))))

    assert said.answer is answer


@pytest.mark.parametrize(
    ("commits", "where", "answer"),
    [
        ("auto", "unread", UNKNOWN),
        ("auto", "seen", VIOLATED),
        ("after", "unread", HELD),
    ],
)
def test_beside_a_group_that_tells_nobody_can_tell_of_one_that_was_not_seen_to_commit(
    both_say: Say, commits: str, where: str, answer: object
) -> None:
    heir = consumer("billing-2", client_id="billing-2", group_id="billing", began_ns=10)
    first = consumer("billing-1", client_id="billing-1", group_id="billing", began_ns=0)
    mine = [poll(value, value, client="billing-1") for value in range(3)]
    again = poll(1, 1, client="billing-2", invoked_ns=20, completed_ns=20)
    unread = (OFFSET_COMMIT, "billing-1") if where == "unread" else None
    of_others = commit(3, (6, 7), group="audit", client="audit-1")
    told = [first, heir, mine, again, of_others, seen(asked(3, (6, 7)), unread=unread)]

    said = both_say("handed-again", *told, groups={"billing": {"commits": commits}})

    assert said.answer is answer


@pytest.mark.parametrize(
    ("commits", "end", "where", "answer"),
    [
        ("auto", 3, "unread", UNKNOWN),
        ("auto", 6, "unread", HELD),
        ("auto", 3, "seen", VIOLATED),
        ("after", 3, "unread", HELD),
    ],
)
def test_beside_a_group_that_tells_nobody_can_tell_what_one_left_undone_that_was_not_seen(
    both_say: Say, commits: str, end: int, where: str, answer: object
) -> None:
    mine = [poll(value, value, client="billing-1") for value in range(6)]
    unread = (OFFSET_COMMIT, "billing-1") if where == "unread" else None
    audited = [commit(3, (6, 7), group="audit", client="audit-1"), processed(0, 3, group="audit")]
    ours = [mine, processed(0, end), seen(asked(6, (2, 3)), unread=unread)]
    member = consumer("billing-1", client_id="billing-1", group_id="billing")

    said = both_say(
        "unprocessed", member, *audited, *ours, groups={"billing": {"commits": commits}}
    )

    assert said.answer is answer


@pytest.mark.parametrize(("position", "answer"), [(90, VIOLATED), (6, HELD)])
def test_a_library_commits_beyond_the_end_of_the_log_or_does_not(
    both_say: Say, position: int, answer: object
) -> None:
    written = [producer(), *(send(value, value) for value in range(6))]
    logs = [stored(broker, value, value) for broker in (1, 2, 3) for value in range(6)]
    commits = seen(asked(position, (2, 3)))

    said = both_say("committed-beyond-end", written, HANDED, logs, replicas(6), commits)

    assert said.answer is answer
