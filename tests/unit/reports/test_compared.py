"""Measures of versions side by side: what is shown, what is marked, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.errors import RecordError
from highwater.reports.cells import Cell, cells_under, read_cells
from highwater.reports.compared import WORDS, Comparison, comparisons, telling
from highwater.reports.page import write_report

ENOUGH = {"median": 500, "least": 400, "most": 600, "trials": 3, "never": 0}


def told(median: float | None, *ends: float, trials: int = 3, never: int = 0) -> dict[str, Any]:
    least, most = ends or (median, median)
    return {"median": median, "least": least, "most": most, "trials": trials, "never": never}


def row(kafka: str, scenario: str = "load", **measures: Any) -> dict[str, Any]:
    return {"scenario": scenario, "kafka": kafka, "measures": {"acked": ENOUGH, **measures}}


def of(*rows: dict[str, Any]) -> list[Comparison]:
    return comparisons(read_cells(rows))


def marked(name: str, *summaries: dict[str, Any]) -> list[bool]:
    (found,) = of(
        *(row(f"{at}.0.0", "load", **{name: each}) for at, each in enumerate(summaries, 1))
    )
    (mine,) = [each for each in found.rows if each.name == name]
    return [bool(figure and figure.is_marked) for figure in mine.figures]


def test_a_scenario_has_a_row_for_each_measure_and_a_column_for_each_version() -> None:
    newer = row("4.1.1", ack_p99_ms=told(12.34, 9.0, 1_234.0), silent_ms=told(1_500.0, trials=1))
    older = {**row("2.8.2", ack_p99_ms=told(7.0)), "control": "ibp=2.7"}

    (found,) = of(newer, older, row("4.1.1", "short"))

    assert found.scenario == "load"
    assert [column.label for column in found.columns] == ["2.8.2 + ibp=2.7", "4.1.1"]
    shown = {
        each.words: [figure and (figure.text, figure.detail) for figure in each.figures]
        for each in found.rows
    }
    assert shown == {
        "records acknowledged": [("500", "400 to 600 in 3 trials")] * 2,
        "acknowledged within, p99": [
            ("7.0 ms", "7.0 ms to 7.0 ms in 3 trials"),
            ("12 ms", "9.0 ms to 1,234 ms in 3 trials"),
        ],
        "after a fault, sends waited in vain": [None, ("1,500 ms", "")],
    }


@pytest.mark.parametrize(("most", "shown"), [(99, False), (100, True)])
def test_a_scenario_of_a_few_records_is_left_out(most: int, *, shown: bool) -> None:
    few = [row(kafka, acked=told(50, 1, 50)) for kafka in ("2.8.2", "4.0.0")]

    assert bool(of(*few, row("4.1.1", acked=told(60, 1, most)))) is shown


def test_what_measured_nothing_is_no_column_and_one_column_is_no_comparison() -> None:
    nothing = {"scenario": "load", "kafka": "3.9.1", "measures": {}}
    before = {"scenario": "load", "kafka": "3.8.0"}  # judged by an older version of ours

    assert of(row("4.1.1"), nothing, before) == []
    (found,) = of(row("4.1.1"), nothing, row("2.8.2"), before)
    assert [column.kafka for column in found.columns] == ["2.8.2", "4.1.1"]


@pytest.mark.parametrize(
    ("mine", "is_marked"),
    [
        (told(200.0), False),  # twice as long, and no more
        (told(200.1), True),
        (told(900.0, 110.0, 950.0), False),  # one trial was as fast as the best was once
        (told(900.0, 110.1, 950.0), True),
        (told(90.0), False),
        (told(120.0, trials=2, never=1), True),
        ({**told(None, trials=2, never=2)}, True),
    ],
)
def test_what_is_more_than_twice_as_bad_in_every_trial_is_marked(
    mine: dict[str, Any], *, is_marked: bool
) -> None:
    assert marked("silent_ms", told(100.0, 90.0, 110.0), mine)[1] is is_marked


def test_the_best_is_the_measure_of_all_and_is_not_marked_itself() -> None:
    assert marked("ack_p99_ms", told(900.0), told(100.0), told(201.0), told(150.0)) == [
        True, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "median", "is_marked"),
    [
        ("ack_p99_ms", 20.0, False),
        ("ack_p99_ms", 20.5, True),
        ("longest_gap_ms", 20.0, False),
        ("full_isr_ms", 200.0, False),
        ("full_isr_ms", 200.5, True),
    ],
)
def test_what_is_shorter_than_can_be_seen_is_not_told_apart(
    name: str, median: float, *, is_marked: bool
) -> None:
    assert marked(name, told(0.0), told(median)) == [False, is_marked]


def test_of_records_fewer_are_worse() -> None:
    assert marked("acked", told(1_000), told(500), told(499), told(0)) == [
        False, False, True, True,
    ]  # fmt: skip


def test_of_lags_a_hundred_records_are_as_good_as_none() -> None:
    assert marked("lag_records", told(0.0), told(150.0), told(250.0)) == [False, False, True]


def test_a_group_that_never_had_all_partitions_again_is_marked_as_that() -> None:
    (never,) = of(
        row("1.0", acked=told(200.0), rebalance_ms=told(None, never=3)),
        row("2.0", acked=told(200.0), rebalance_ms=told(900.0)),
    )

    figure = never.rows[1].figures[0]
    assert figure
    assert (figure.is_marked, figure.never) == (True, "never in 3 of 3")


def test_where_nobody_recovered_nobody_is_worse_than_another() -> None:
    never = told(None, never=3)

    assert marked("full_isr_ms", never, never) == [False, False]
    assert (
        list(telling(read_cells([row(each, full_isr_ms=never) for each in ("1.0.0", "1.1.1")])))
        == []
    )


def test_the_terminal_has_a_line_for_each_measure_that_is_marked() -> None:
    rows = [
        row("2.8.2", ack_p99_ms=told(900.0), full_isr_ms=told(400.0, never=1)),
        row("3.9.1", ack_p99_ms=told(100.0), full_isr_ms=told(500.0)),
        row("4.1.1", ack_p99_ms=told(300.0), acked=told(100)),
    ]

    records, latency, recovery = telling(read_cells(rows))

    assert records == "load: records acknowledged: 100 on 4.1.1, 500 on 2.8.2"
    assert latency == "load: acknowledged within, p99: 900 ms on 2.8.2, 100 ms on 3.9.1"
    assert recovery == (
        "load: after a fault, until the ISR was full again: never in 1 of 3 on 2.8.2, 500 ms on "
        "3.9.1"
    )


def test_a_range_is_that_of_trials_in_which_it_came() -> None:
    (found,) = of(
        row("2.8.2", full_isr_ms=told(400.0, 300.0, 500.0, never=1)),
        row("3.9.1", full_isr_ms=told(400.0, never=2)),
        row("4.1.1", full_isr_ms=told(None, never=3)),
    )

    assert [figure and (figure.text, figure.detail) for figure in found.rows[-1].figures] == [
        ("400 ms", "never in 1 of 3; 300 ms to 500 ms in 2 trials"),
        ("400 ms", "never in 2 of 3"),
        ("never", "never in 3 of 3"),
    ]


def test_of_many_lines_the_terminal_has_five() -> None:
    slow = {name: told(900.0) for name in WORDS if name != "acked"}
    quick = {name: told(1.0) for name in slow}
    rows = [
        row(kafka, at, **each) for at in "ab" for kafka, each in (("1.0", slow), ("2.0", quick))
    ]

    lines = list(telling(read_cells(rows)))

    assert len(lines) == 6
    assert lines[-1] == "and 15 more are marked in the report"


def test_the_page_has_the_table_where_there_is_something_to_compare(tmp_path: Path) -> None:
    rows = [
        row("2.8.2", ack_p99_ms=told(900.0)),
        row("4.1.1", ack_p99_ms=told(10.0), silent_ms=told(5.0)),
    ]
    assert json.loads(json.dumps(rows)) == rows

    html = write_report(tmp_path, rows, []).read_text(encoding="utf-8")
    alone = write_report(tmp_path, rows[:1], []).read_text(encoding="utf-8")

    table = html.partition('<table class="compared">')[2].partition("</table>")[0]
    assert table.count("<tr>") == 4
    assert '<strong class="alarm">⚠ 900 ms</strong>' in table
    assert table.count("⚠") == 1
    assert '<td class="n">—</td><td class="n">5.0 ms' in table
    assert "compared" not in alone.partition("<main")[2]


def test_a_cell_that_was_written_before_has_no_measures() -> None:
    assert read_cells([{"scenario": "load", "kafka": "4.1.1"}]) == [
        Cell(scenario="load", kafka="4.1.1")
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"measures": {"acked": {**ENOUGH, "median": None}}},
        {"measures": {"acked": {**ENOUGH, "most": 10**400}}},
        {"measures": {"acked": {**ENOUGH, "most": float("nan")}}},
        {"measures": {"acked": {**ENOUGH, "least": 501}}},
        {"measures": {"acked": {**ENOUGH, "never": 7}}},
        {"measures": {"acked": {**ENOUGH, "never": True}}},
        {"measures": {"acked": {**ENOUGH, "never": 3}}},
        {"measures": []},
        {"measures": {"acked": 7}},
        {"measures": {"acked": {"median": 1}}},
        {"measures": {"acked": {**ENOUGH, "never": None}}},
        {"measures": {"acked": {**ENOUGH, "most": "9"}}},
        {"kafka": 4.1},
        {"scenario": ["load"]},
        {"scenario": "lo\ud800ad"},
        {"backend": None},
        {"control": 5},
        {"clean": "2"},
        {"seconds": "12"},
        {"runs": None},
        {"anomalies": None},
    ],
)
def test_cells_that_are_not_as_we_write_them_are_told_in_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=f"is not as we write it: {next(iter(wrong))} is"):
        read_cells([{**row("4.1.1"), **wrong}])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"reproduced": 5}, "trials were played, and"),
        ({"clean": 0}, "trials were played, and"),
        ({"trials": 0}, "0 trials were played"),
        ({"expected": "maybe"}, "saw 'maybe'"),
        ({"expected": "reproduced", "as_expected": True}, "said to be as expected"),
        ({"clean": 0, "inconclusive": 3, "as_expected": True}, "said to be as expected"),
    ],
)
def test_a_cell_that_contradicts_itself_is_told(wrong: dict[str, Any], why: str) -> None:
    sound = {"trials": 3, "clean": 3, "expected": "clean", "as_expected": True}

    assert read_cells([{**row("4.1.1"), **sound}])
    with pytest.raises(RecordError, match=why):
        read_cells([{**row("4.1.1"), **sound, **wrong}])


def test_a_cell_that_is_there_twice_is_told() -> None:
    with pytest.raises(RecordError, match="it is there twice"):
        read_cells([row("4.1.1"), row("4.1.1")])


@pytest.mark.parametrize("content", [[], {}, {"schema": 2}, {"schema": "x"}, {"schema": True}])
def test_a_table_of_another_schema_is_told(content: Any) -> None:
    with pytest.raises(RecordError, match="expected schema 1, saw"):
        cells_under(content)


@pytest.mark.parametrize("content", [None, 5, "x", {}, [5], [None]])
def test_what_is_no_list_of_cells_is_told_in_a_sentence(content: Any) -> None:
    with pytest.raises(RecordError, match="expected a list of cells"):
        read_cells(content)


def test_an_acknowledgement_that_never_came_is_marked_as_that() -> None:
    quick, never = told(500.0, trials=3, never=1), told(50_000.0)

    (found,) = of(row("2.0.0", first_ack_ms=quick), row("3.0.0", first_ack_ms=never))

    (mine,) = [each for each in found.rows if each.name == "first_ack_ms"]
    assert [(each and each.is_marked, each and each.never) for each in mine.figures] == [
        (True, "never in 1 of 3"), (False, ""),
    ]  # fmt: skip
