"""What is known of how a client fails is said where it has failed, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.front.test_cells import CLEAN, OUT, REPRODUCED, result

from highwater.cells import Cell
from highwater.explained import explanation, explanations
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.foreign.programs import NAMES
from highwater.harness.model import Ending
from highwater.harness.versions.catalogue import find_kafka
from highwater.reports.cells import read_cells
from highwater.reports.page import write_report
from highwater.scenarios.catalogue import find_scenario, scenarios

PAGE = "docs/findings/kafkajs-takes-a-sequence-number-twice.md"
TICKET = "https://github.com/confluentinc/librdkafka/issues/4953"


def row(scenario: str, control: str | None, ending: Ending) -> dict[str, Any]:
    kafka = find_kafka("4.1.1")
    cell = Cell(scenario=find_scenario(scenario), kafka=kafka, control=control)
    return result(cell, ending).row(OUT.parent)


@pytest.mark.parametrize(
    ("scenario", "control", "ending", "explained"),
    [
        ("client-answer-lost", "client=kafkajs", REPRODUCED, PAGE),
        ("client-answer-lost", "client=kafkajs", CLEAN, ""),
        ("client-answer-lost", "client=kafkajs:1.0", REPRODUCED, ""),
        ("client-epoch-bumped", None, REPRODUCED, TICKET),
        ("unclean-election", None, REPRODUCED, ""),
    ],
)
def test_what_has_failed_is_explained_where_it_is_known(
    scenario: str, control: str | None, ending: Ending, explained: str
) -> None:
    assert row(scenario, control, ending)["explained"] == explained


def test_the_report_and_the_terminal_say_so_with_a_link_to_a_ticket(tmp_path: Path) -> None:
    rows = [
        row("client-answer-lost", "client=kafkajs", REPRODUCED),
        row("client-epoch-bumped", None, REPRODUCED),
        row("client-answer-lost", None, CLEAN),
    ]
    cells = read_cells(rows)

    page = write_report(tmp_path, rows, []).read_text()

    assert [each.known for each in cells] == [
        f"client-answer-lost on 4.1.1 + client=kafkajs is known to fail: {PAGE}",
        f"client-epoch-bumped on 4.1.1 is known to fail: {TICKET}",
        "",
    ]
    assert f'<a href="{TICKET}" rel="noreferrer">' in page
    assert PAGE in page
    assert page.count("is known to fail") == 2


def test_nobody_is_explained_whom_the_catalogue_does_not_have() -> None:
    able = {each.name for each in scenarios() if each.any_client}
    clients = {each.partition(":")[0] for each in explanations()}

    assert clients <= {*NAMES, *KNOWN}
    assert {name for some in explanations().values() for name in some} <= able
    assert explanation("nobody", "client-answer-lost") == ""
