"""Counterexamples as tables that a person can read."""

from __future__ import annotations

from typing import Any

from highwater.harness.model import Answer, Verdict
from highwater.reports.findings import Finding, findings


def _found(*witnesses: dict[str, Any]) -> Finding:
    verdict = Verdict(
        claim="lost-write",
        answer=Answer.VIOLATED,
        considered=9,
        anomalies=len(witnesses),
        witnesses=witnesses,
    )
    (found,) = findings([verdict], {})
    return found


def test_what_all_witnesses_say_is_told_once() -> None:
    found = _found(
        {"topic": "orders", "offset": 1, "gone_ns": 2_500_000_000, "still_on": None},
        {"topic": "orders", "offset": 2, "gone_ns": 2_500_000_000, "still_on": None},
    )

    assert found.shared == [("topic", "orders"), ("gone", "2.500 s"), ("still on", "—")]
    assert (found.columns, found.witnesses) == (["offset"], [["1"], ["2"]])


def test_a_lone_witness_has_all_its_columns() -> None:
    found = _found({"topic": "orders", "offset": 1})

    assert (found.shared, found.columns) == ([], ["topic", "offset"])
