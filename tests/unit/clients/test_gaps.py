"""The longest time without an acknowledgement, and when records of a rate are due."""

from __future__ import annotations

import time

import pytest

from highwater.adapters import pace


def test_an_outage_from_the_beginning_to_the_end_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = iter([0, 4, 9, 9, 10, 13, 14])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(now_ns))
    nothing, some = pace.Gap(since_ns=0), pace.Gap(since_ns=0)

    for _ in range(3):
        nothing.look(0)
    for acked in (3, 3, 5, 5):
        some.look(acked)

    assert nothing.longest_ns == 9
    assert some.longest_ns == 9


def test_what_nobody_could_send_in_time_was_due_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stood still for a second: the records that fell due meanwhile are a second late, or less.

    10 in a second, and the first a tenth of a second after it began.
    """
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    due = pace.Due(10)

    assert due.by(100.05) == 0
    assert due.by(100.25) == 2
    assert due.take(2).tolist() == [100_100_000_000, 100_200_000_000]  # type: ignore[union-attr]
    assert due.by(101.25) == 10
    assert due.take(1).tolist() == [100_300_000_000]  # type: ignore[union-attr]
    assert due.by(101.25) == 9


def test_in_a_closed_loop_the_next_one_waits_until_one_has_ended() -> None:
    due = pace.Due(None, 3)

    assert due.by(0) == 3
    due.take(3)
    assert due.by(0) == 0
    assert due.by(0, ended=2) == 2
    assert pace.Due(None, 5_000).by(0) == pace.AT_ONCE


def test_a_rate_may_be_a_closed_loop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is not sent, is due all the same: latencies count from there."""
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    due = pace.Due(10, 3)

    assert due.by(101.05) == 3
    due.take(3)
    assert due.by(102.05, ended=1) == 1
    assert due.take(1).tolist() == [100_400_000_000]  # type: ignore[union-attr]


def test_without_a_rate_nothing_is_due_at_any_time() -> None:
    due = pace.Due(None)

    assert due.by(0) == pace.AT_ONCE
    assert due.take(5) is None
