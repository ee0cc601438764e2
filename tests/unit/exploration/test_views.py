"""What a look comes down to: a state, a danger, a finding; of literal views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from highwater.exploration.findings import finding_of
from highwater.exploration.views import Danger, Log, Promised, View, danger_of, sign, state_of
from highwater.harness.model import PartitionState

LOG = ((0, 11, 0), (1, 12, 0), (2, 13, 0))


def a_view(
    logs: Mapping[int, Log] | None = None,
    isr: tuple[int, ...] = (1, 2, 3),
    marks: Mapping[int, int] | None = None,
    acked: tuple[int, ...] = (),
) -> View:
    """Of three replicas with LOG; what `logs` and `marks` say is another way."""
    held: dict[int, Log] = {1: LOG, 2: LOG, 3: LOG, **(logs or {})}
    ends = {broker: len(log) for broker, log in held.items()}
    return View(
        partition=PartitionState(1, 0, isr, (1, 2, 3)),
        ends=ends,
        marks={**ends, **(marks or {})},
        logs=held,
        promised=Promised(values=frozenset(acked), end_offset=len(acked)),
    )


@pytest.mark.parametrize(
    ("one", "other", "is_"), [(1, 2, "<"), (2, 2, "="), (3, 2, ">"), (None, 2, "?"), (1, None, "?")]
)
def test_offsets_are_compared(one: int | None, other: int | None, is_: str) -> None:
    assert sign(one, other) == is_


def test_a_state_knows_no_numbers() -> None:
    behind = a_view({2: LOG[:2]}, marks={2: 2})
    mirrored = a_view({3: LOG[:1]}, marks={3: 1})

    assert state_of(behind) == state_of(mirrored)
    assert state_of(behind) != state_of(a_view())
    assert state_of(a_view()) == (
        "leader patient HW=LEO",
        "log=leader HW=LEO HW=leader",
        "log=leader HW=LEO HW=leader",
    )


def test_a_state_tells_a_fork_what_is_open_and_who_is_dead() -> None:
    forked = ((0, 11, 0), (1, 99, 1))
    view = replace(
        a_view({2: forked}, isr=(1, 3), acked=(11, 12)),
        troubles={2: "cut", 1: "deafen"},
        dead=frozenset({3}),
        impatient=frozenset({1}),
    )

    leader, *followers = state_of(view)

    assert leader == "leader impatient HW=LEO deafen"
    assert "out log#leader lacks HW=LEO HW<leader cut" in followers
    assert "dead log=leader HW=LEO HW=leader" in followers


def test_a_state_tells_what_is_wrong_with_the_voters() -> None:
    nobody = replace(a_view(), partition=None)
    for view in (a_view(), nobody):
        assert state_of(replace(view, quorum="depose")) == (*state_of(view), "quorum depose")


def test_nobody_leads_is_a_state_without_danger_and_no_finding() -> None:
    view = replace(a_view(), partition=None)

    assert state_of(view) == ("nobody leads", "up", "up", "up")
    assert danger_of(view) == Danger()
    assert not finding_of(view).found
    assert not finding_of(view).is_settled


def test_dangers_in_their_order() -> None:
    acked = (11, 12, 13)
    assert danger_of(a_view(acked=acked)) == Danger(0)
    assert danger_of(a_view(acked=acked, marks={2: 2})) == Danger(1)
    assert danger_of(a_view(acked=acked, marks={1: 2, 2: 2, 3: 2})) == Danger(2)
    assert danger_of(a_view({3: LOG[:2]}, acked=acked)) == Danger(3, 3)
    out_of_sync = a_view({3: LOG[:2]}, acked=acked, isr=(1, 2), marks={3: 3})
    assert danger_of(out_of_sync) == Danger(0)


def test_a_member_of_the_isr_without_what_the_leader_calls_committed_is_a_danger() -> None:
    forked = ((0, 11, 0), (1, 98, 0), (2, 13, 0))

    assert danger_of(a_view({2: forked})) == Danger(3, 2)
    assert danger_of(a_view({2: forked}, marks={1: 1})).level == 0


def test_a_fork_above_the_high_watermark_is_no_danger() -> None:
    forked = ((0, 11, 0), (1, 12, 0), (2, 99, 1))

    assert danger_of(a_view({2: forked}, marks=dict.fromkeys((1, 2, 3), 2))) == Danger(0)


@pytest.mark.parametrize(
    ("view", "claims"),
    [
        (a_view(acked=(11, 12, 13)), ()),
        (a_view(acked=(11, 12, 13, 14)), ("lost-write",)),
        (a_view({2: ((0, 11, 0), (1, 98, 0), (2, 13, 0))}, acked=(11,)), ("replica-divergence",)),
        (
            a_view({1: ((0, 11, 0), (1, 98, 0), (2, 13, 0))}, acked=(12,)),
            ("lost-write", "replica-divergence"),
        ),
        (a_view({2: LOG[:2]}, acked=(11, 12, 13)), ()),
    ],
)
def test_findings(view: View, claims: tuple[str, ...]) -> None:
    assert finding_of(view).claims == claims


def test_replicas_that_have_not_settled_diverge_from_nobody() -> None:
    forked = ((0, 11, 0), (1, 98, 0))
    found = finding_of(a_view({2: forked}))

    assert not found.found
    assert not found.is_settled


def test_what_some_replica_has_is_not_beyond_hope() -> None:
    assert not a_view({1: LOG[:2]}, acked=(11, 12, 13)).is_beyond_hope
    assert a_view(acked=(11, 12, 13, 14)).is_beyond_hope
