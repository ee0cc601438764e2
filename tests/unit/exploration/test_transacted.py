"""What is seen of transactions: new in kind, near to a failure, or one; of literal views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.exploration.test_views import a_view

from highwater.exploration.findings import finding_of
from highwater.exploration.transacted import Readable, Transacted
from highwater.exploration.views import View, danger_of, state_of
from highwater.harness.probes.batch_format import Record
from highwater.harness.probes.batches import Batch
from highwater.harness.probes.records import Stretch

DECIDED = Transacted(standings=((1, "ready"),), last_stable=3, mark=3)
UNDECIDED = replace(DECIDED, last_stable=2)
ABORT, COMMIT = 0, 1


def seen(transacted: Transacted) -> View:
    return replace(a_view(), transacted=transacted)


def test_a_state_says_whether_all_is_decided_and_where_producers_stand() -> None:
    both = replace(DECIDED, standings=((1, "ready too late"), (2, "open")))

    assert state_of(seen(both))[3:] == ("all decided", "producer open", "producer ready too late")
    assert state_of(seen(UNDECIDED))[3] == "undecided"
    assert state_of(a_view()) == state_of(seen(DECIDED))[:3]


@pytest.mark.parametrize(
    ("transacted", "level"),
    [
        (DECIDED, 0),
        (replace(UNDECIDED, standings=((1, "open"),)), 0),
        (replace(UNDECIDED, standings=((1, "ready busy"),)), 0),
        (replace(DECIDED, standings=((1, "broken late"),)), 1),
        (replace(DECIDED, standings=((1, "ready"), (2, "new too late"))), 2),
        (replace(UNDECIDED, standings=((1, "open"),), delayed=(2,)), 2),
        (replace(UNDECIDED, standings=((1, "open busy"),), delayed=(2,)), 0),
        (UNDECIDED, 3),
        (replace(UNDECIDED, is_withheld=True), 0),
        (replace(DECIDED, standings=((1, "ready"), (2, "open"))), 3),
        (replace(DECIDED, standings=((1, "ready"), (2, "open busy"))), 0),
    ],
)
def test_what_is_near_to_a_failure_is_told_by_what_producers_know(
    transacted: Transacted, level: int
) -> None:
    assert danger_of(seen(transacted)).level == level


def test_what_is_not_replicated_yet_is_no_danger() -> None:
    lagging = a_view({2: ((0, 11, 0),)}, marks={1: 1, 2: 1, 3: 1})

    assert danger_of(replace(lagging, transacted=UNDECIDED)).level == 0


@pytest.mark.parametrize(
    ("transacted", "claims"),
    [
        (DECIDED, ()),
        (UNDECIDED, ("hanging-transaction",)),
        (replace(DECIDED, aborted=frozenset({1}), visible=frozenset({1, 2})), ("aborted-read",)),
        (replace(DECIDED, aborted=frozenset({1}), visible=frozenset({2})), ()),
        (replace(DECIDED, committed=frozenset({1}), there=frozenset({1})), ("unseen",)),
        (replace(DECIDED, committed=frozenset({1})), ("lost-write",)),
        (
            replace(
                DECIDED,
                committed=frozenset({1}),
                there=frozenset({1}),
                visible=frozenset({1}),
            ),
            (),
        ),
    ],
)
def test_what_is_violated_when_all_is_over(transacted: Transacted, claims: Sequence[str]) -> None:
    assert finding_of(seen(transacted)).claims == tuple(claims)


def test_nothing_is_charged_before_the_replicas_are_alike() -> None:
    lagging = a_view({2: ((0, 11, 0),)}, marks={1: 1, 2: 1, 3: 1})

    finding = finding_of(replace(lagging, transacted=UNDECIDED))

    assert (finding.claims, finding.is_settled) == ((), False)


def a_stretch(producer_id: int, *, control: int | None = None, plain: bool = False) -> Stretch:
    batch = Batch(
        path=Path("log"), position=0, size_bytes=100, base_offset=0, last_offset=0, magic=2,
        producer_id=None if plain else producer_id, is_transactional=not plain,
        is_control=control is not None,
    )  # fmt: skip
    key = None if control is None else b"\0\0" + control.to_bytes(2, "big")
    return Stretch(batch=batch, records=(Record(0, 0, key, b""),))


def test_readers_of_committed_records_are_handed_what_has_no_transaction_or_a_committed_one() -> (
    None
):
    readable = Readable()

    readable.take(a_stretch(-1, plain=True), [1])
    readable.take(a_stretch(7), [2])
    readable.take(a_stretch(8), [3])
    readable.take(a_stretch(7, control=COMMIT), [None])
    readable.take(a_stretch(7), [4])
    readable.take(a_stretch(7, control=ABORT), [None])
    readable.take(a_stretch(9), [5])
    readable.take(a_stretch(8, control=COMMIT), [None])

    assert readable.visible == {1, 2, 3}


@pytest.mark.parametrize(
    ("transacted", "claims"),
    [
        (replace(UNDECIDED, unclosed=("transactor-1",)), ()),
        (
            replace(
                DECIDED,
                committed=frozenset({1}),
                there=frozenset({1}),
                unclosed=("transactor-1",),
            ),
            (),
        ),
        (
            replace(UNDECIDED, stuck=("transactor-1",), unclosed=("transactor-1",)),
            ("stuck-transaction",),
        ),
        (replace(DECIDED, repeated=frozenset({1})), ("duplicate",)),
        (
            replace(
                DECIDED,
                doubtful=(frozenset({1, 2, 3}),),
                there=frozenset({1, 2}),
                visible=frozenset({1}),
            ),
            ("torn-transaction",),
        ),
        (
            replace(
                DECIDED,
                doubtful=(frozenset({1}), frozenset({2})),
                there=frozenset({1, 2}),
                visible=frozenset({1}),
            ),
            (),
        ),
        (replace(DECIDED, are_alike=False), ("replica-divergence",)),
    ],
)
def test_of_a_producer_that_has_not_ended_nothing_is_said_and_halves_and_copies_are_seen(
    transacted: Transacted, claims: Sequence[str]
) -> None:
    assert finding_of(seen(transacted)).claims == tuple(claims)


def test_what_a_producer_has_not_ended_is_not_settled() -> None:
    assert finding_of(seen(DECIDED)).is_settled
    assert not finding_of(seen(replace(DECIDED, unclosed=("transactor-1",)))).is_settled
