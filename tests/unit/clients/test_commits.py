"""Commits of members: what is asked for, what is answered, and what never is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.clients.commits import Commits


class Record:
    def __init__(self) -> None:
        self.origin_ns = 1000
        self.rows: list[dict[str, Any]] = []

    def row(self, table: str, row: dict[str, Any]) -> None:
        assert table == "commits"
        self.rows.append(row)


@pytest.fixture
def record() -> Record:
    return Record()


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def commits(record: Record, notes: list[str]) -> Commits:
    scene: Any = SimpleNamespace(record=record, note=notes.append)
    return Commits(scene)


def asked(
    commits: Commits, at_ns: int, *positions: tuple[str, int, int], client: str = "b-1"
) -> None:
    event = {"event": "commit", "group": "b", "at_ns": at_ns, "offsets": [*map(list, positions)]}
    commits.hear(client, event)


def answered(commits: Commits, at_ns: int, *answers: list[Any], client: str = "b-1") -> None:
    commits.hear(client, {"event": "committed", "group": "b", "at_ns": at_ns, "offsets": answers})


def told(record: Record) -> list[tuple[Any, ...]]:
    names = ("client", "partition", "offset", "outcome", "invoked_ns", "error")
    return [(*(row[name] for name in names), row.get("completed_ns")) for row in record.rows]


def test_a_commit_is_told_when_it_is_answered(commits: Commits, record: Record) -> None:
    with commits:
        asked(commits, 1010, ("orders", 0, 5), ("orders", 1, 7))
        assert record.rows == []
        answered(commits, 1030, ["orders", 0, 5, None], ["orders", 1, 7, None])

    assert told(record) == [
        ("b-1", 0, 5, "ok", 10, None, 30),
        ("b-1", 1, 7, "ok", 10, None, 30),
    ]
    assert {(row["group"], row["topic"]) for row in record.rows} == {("b", "orders")}


def test_answers_find_their_commits_in_whatever_order_they_come(
    commits: Commits, record: Record
) -> None:
    with commits:
        asked(commits, 1010, ("orders", 0, 5))
        asked(commits, 1020, ("orders", 0, 6))
        asked(commits, 1030, ("orders", 0, 5))  # after it was assigned the partition again
        answered(commits, 1040, ["orders", 0, 6, None])
        answered(commits, 1050, ["orders", 0, 5, None])
        answered(commits, 1060, ["orders", 0, 5, None])

    assert [(row["offset"], row["invoked_ns"], row["completed_ns"]) for row in record.rows] == [
        (6, 20, 40),
        (5, 10, 50),
        (5, 30, 60),
    ]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [("ILLEGAL_GENERATION", "failed"), ("REQUEST_TIMED_OUT", "unknown"), ("_TIMED_OUT", "unknown")],
)
def test_a_refusal_has_changed_nothing_and_of_other_errors_nobody_knows(
    error: str, outcome: str, commits: Commits, record: Record, notes: list[str]
) -> None:
    with commits:
        asked(commits, 1010, ("orders", 0, 5), ("orders", 1, 7))
        answered(commits, 1030, ["orders", 0, 5, error], ["orders", 1, 7, error])

    assert [(row["outcome"], row["error"]) for row in record.rows] == [(outcome, error)] * 2
    assert notes == [f"b-1: a commit was answered by {error}"]


def test_a_commit_of_a_transaction_has_its_number_and_what_became_of_it(
    commits: Commits, record: Record
) -> None:
    for number, error in ((1, "ABORTED"), (2, None)):
        for event, answer in (("commit", []), ("committed", [error])):
            told = {"event": event, "group": "g", "at_ns": number, "transaction": number}
            commits.hear("g-1", {**told, "offsets": [["t", 0, 5, *answer]]})

    assert [(row["transaction"], row["outcome"]) for row in record.rows] == [
        (1, "failed"),
        (2, "ok"),
    ]


def test_what_was_never_answered_is_open(commits: Commits, record: Record) -> None:
    with commits:
        asked(commits, 1010, ("orders", 0, 5))
        asked(commits, 1020, ("orders", 0, 9), client="b-2")
        answered(commits, 1030, ["orders", 0, 9, None], client="b-2")

    assert told(record) == [
        ("b-2", 0, 9, "ok", 20, None, 30),
        ("b-1", 0, 5, "invoked", 10, None, None),
    ]


def test_an_answer_that_nobody_waits_for_is_told_to_nobody(
    commits: Commits, record: Record
) -> None:
    with commits:
        answered(commits, 1030, ["orders", 0, 9, None])

    assert record.rows == []
