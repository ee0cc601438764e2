"""The longest time without an acknowledgement."""

from __future__ import annotations

import time

import pytest

from highwater.adapters.confluent import producing


def test_an_outage_from_the_beginning_to_the_end_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = iter([0, 4, 9, 9, 10, 13, 14])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(now_ns))
    nothing, some = producing.Gap(since_ns=0), producing.Gap(since_ns=0)

    for _ in range(3):
        nothing.look(0)
    for acked in (3, 3, 5, 5):
        some.look(acked)

    assert nothing.longest_ns == 9
    assert some.longest_ns == 9
