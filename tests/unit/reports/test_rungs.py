"""The ladder as a picture: where marks and bars stand, and what they lead to."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest

from highwater.harness.errors import RecordError
from highwater.reports.cells import Cell
from highwater.reports.page import picture
from highwater.reports.rungs import LEFT, RIGHT, rungs

SVG = "{http://www.w3.org/2000/svg}"


def cell(kafka: str, failed: int, *, scenario: str = "s", control: str | None = None) -> Cell:
    return Cell(
        scenario=scenario, kafka=kafka, control=control, trials=3, reproduced=failed,
        clean=3 - failed, source="KIP-101, KAFKA-1211",
    )  # fmt: skip


OLD = [cell("0.10.2.2", 3), cell("0.11.0.3", 0), cell("2.8.2", 0), cell("4.3.1", 0)]


def test_releases_stand_in_their_order_and_a_step_apart() -> None:
    kafkas = ["2.8.2", "0.10.2.2", "3.0.0", "2.8.0", "2.8.1", "3.0.2", "4.3.1"]

    view = rungs([cell(kafka, 0) for kafka in kafkas])

    assert view
    marks = view.rungs[0].marks
    assert [mark.cell.kafka for mark in marks] == [
        "0.10.2.2", "2.8.0", "2.8.1", "2.8.2", "3.0.0", "3.0.2", "4.3.1",
    ]  # fmt: skip
    places = [mark.x for mark in marks]
    assert places[0] == LEFT
    assert places[-1] == RIGHT
    assert all(after - before >= 7 for before, after in itertools.pairwise(places))


def test_a_bar_spans_what_fails_without_a_gap_in_each_mode() -> None:
    view = rungs(
        [
            cell("2.0.0", 3), cell("2.0.1", 1), cell("2.8.2", 0), cell("3.3.2-zk", 2),
            cell("3.3.2", 0), cell("3.9.1", 3), cell("4.0.0", 3),
        ]
    )  # fmt: skip

    assert view
    (rung,) = view.rungs
    x = {mark.cell.kafka: mark.x for mark in rung.marks}
    assert [(start, end) for start, end, _ in rung.bars] == [
        (x["2.0.0"], x["2.0.1"]),
        (x["3.3.2-zk"], x["3.3.2-zk"]),
        (x["3.9.1"], x["4.0.0"]),
    ]
    assert rung.bars[0][2] < rung.y < rung.bars[2][2]


def test_a_control_is_no_part_of_a_bar() -> None:
    view = rungs([*OLD, cell("0.11.0.3", 3, control="ibp=0.10.2")])

    assert view
    (rung,) = view.rungs
    assert len(rung.bars) == 1
    assert rung.bars[0][0] == rung.bars[0][1] == LEFT
    assert [mark.shape for mark in rung.marks].count("control") == 1


def test_the_oldest_failures_come_first_and_what_never_fails_last() -> None:
    cells = [
        *(cell(kafka, 0, scenario="never") for kafka in ("0.10.2.2", "1.1.1", "4.3.1")),
        *(cell(kafka, 3, scenario="always") for kafka in ("0.10.2.2", "1.1.1", "4.3.1")),
        cell("0.10.2.2", 3, scenario="once"),
    ]

    view = rungs(cells)

    assert view
    assert [rung.scenario for rung in view.rungs] == ["once", "always", "never"]


@pytest.mark.parametrize("cells", [[], OLD[:2], [*OLD[:2], cell("9.9.9", 0), cell("mine", 3)]])
def test_fewer_than_three_releases_of_the_catalogue_make_no_ladder(cells: list[Cell]) -> None:
    assert rungs(cells) is None
    with pytest.raises(RecordError, match="expected cells on 3 releases"):
        picture(cells, "")


def test_the_picture_is_a_file_of_its_own_and_asks_for_nothing() -> None:
    root = ET.fromstring(picture(OLD, ""))

    assert root.tag == f"{SVG}svg"
    assert not list(root.iter(f"{SVG}a"))
    assert "url(" not in ET.tostring(root, encoding="unicode")
    (ticket,) = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "ticket"]
    assert ticket == "KIP-101"


def test_a_mark_leads_to_its_cell_and_says_what_it_is() -> None:
    root = ET.fromstring(picture(OLD, "report.html"))

    links = list(root.iter(f"{SVG}a"))
    assert links[0].get("href") == "report.html#cell-s-0.10.2.2-process"
    (said,) = links[0].iter(f"{SVG}title")
    assert said.text == "s on Kafka 0.10.2.2: 3 of 3 failed"


def test_names_are_text_always() -> None:
    named = [cell(each.kafka, each.reproduced, scenario="<script>&") for each in OLD]

    root = ET.fromstring(picture(named, ""))

    assert not list(root.iter(f"{SVG}script"))
