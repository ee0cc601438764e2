"""What several sittings played of one cell is one count, and nothing that was odd is lost."""

from __future__ import annotations

from typing import Any

import pytest
from tests.counts import count
from tests.told_together import told_together


def row(scenario: str = "kip101", **other: Any) -> dict[str, Any]:
    plain = {
        "scenario": scenario, "kafka": "0.10.2.2", "control": None, "backend": "process",
        "trials": 3, "reproduced": 3, "clean": 0, "inconclusive": 0, "acked": 9,
        "anomalies": {"lost-write": 6}, "not_promised": {}, "rewritten": {},
        "seconds": [4.0, 5.0, 6.0], "reasons": [], "unexpected": [], "as_expected": True,
    }  # fmt: skip
    return {**plain, **other}


def test_trials_of_a_cell_add_up() -> None:
    quiet = row(anomalies={"lost-write": 4, "duplicate": 1}, seconds=[3.0])

    (both,) = told_together([[row()], [quiet]])

    assert count(both) == "6/6"
    assert both["anomalies"] == {"lost-write": 10, "duplicate": 1}
    assert both["seconds"] == [4.0, 5.0, 6.0, 3.0]
    assert both["as_expected"]


@pytest.mark.parametrize("first", [True, False])
def test_what_was_not_as_expected_once_is_not_as_expected(*, first: bool) -> None:
    odd = row(
        reproduced=2, inconclusive=1, reasons=["no leader"], as_expected=False,
        unexpected=["stale-read"],
    )  # fmt: skip

    (both,) = told_together([[odd], [row()]] if first else [[row()], [odd]])

    assert count(both) == "5/6 ?1"
    assert not both["as_expected"]
    assert (both["reasons"], both["unexpected"]) == (["no leader"], ["stale-read"])


def test_a_table_alone_is_as_it_was() -> None:
    assert told_together([[row(), row("other")]]) == [row(), row("other")]


@pytest.mark.parametrize("tables", [[[row()], []], [[row()], [row(), row("other")]]])
def test_a_cell_that_a_table_lacks_is_no_cell_of_all(tables: list[list[dict[str, Any]]]) -> None:
    with pytest.raises(ValueError, match="expected the same cells each time"):
        told_together(tables)


def test_what_a_library_does_not_promise_and_what_explains_it_are_told_once_more() -> None:
    there = {"duplicate": "https://kafka.js.org/docs/producing"}
    odd = row(not_promised=there, explained="KAFKA-1")

    for tables in ([[odd], [odd]], [[row()], [odd]], [[odd], [row()]]):
        (both,) = told_together(tables)

        assert (both["not_promised"], both["explained"]) == (there, "KAFKA-1")


@pytest.mark.parametrize(
    "told", [{"expected": "clean"}, {"claims": ["lost-write", "divergence"]}], ids=str
)
def test_a_cell_that_was_asked_another_thing_is_another_cell(told: dict[str, Any]) -> None:
    before = row(expected="reproduced", claims=["lost-write"])

    with pytest.raises(ValueError, match=r"of kip101 0\.10\.2\.2 process each time"):
        told_together([[before], [{**before, **told}]])
