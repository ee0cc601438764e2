"""The table is a grid of few cells, and of many a list in which one finds them."""

from __future__ import annotations

import re

from highwater.reports.cells import Cell
from highwater.reports.drawn import Drawn
from highwater.reports.packing import Packer
from highwater.reports.page import render

VERSIONS = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.0", "2.0.1", "2.1.1", "2.8.0", "2.8.1", "3.9.1")


def page_of(cells: list[Cell]) -> str:
    return render(cells, Drawn(), Packer())


def cells(scenario: str, *versions: str, as_expected: bool = True) -> list[Cell]:
    return [
        Cell(
            scenario=scenario,
            kafka=version,
            trials=5,
            reproduced=5,
            expected="reproduced",
            as_expected=as_expected,
            anomalies={"lost-write": 3},
        )
        for version in versions
    ]


def test_scenarios_that_share_their_versions_stand_in_a_grid() -> None:
    page = page_of([*cells("first", *VERSIONS[:8]), *cells("second", *VERSIONS[:8])])

    assert '<table class="matrix">' in page
    assert "Kafka 0.10.2.2, " in page
    assert f"and {VERSIONS[7]} each lost acknowledged records in 5 of 5 trials of first" in page


def test_more_versions_than_fit_stand_in_a_list_with_what_is_unexpected_first() -> None:
    wrong = cells("third", "2.8.1", as_expected=False)

    page = page_of([*cells("first", *VERSIONS), *cells("second", *VERSIONS), *wrong])

    table = page[page.index('<table class="cells"') : page.index("</table>")]
    assert '<table class="matrix">' not in page
    assert table.count('<tr data-kafka="') == 2 * len(VERSIONS) + 1
    first = table[table.index("<tbody>") :].split("</tr>")[0]
    assert re.search(r'data-kafka="2\.8\.1" data-claim="lost-write"', first)
    assert "not as expected" in first
    assert "third" in first
