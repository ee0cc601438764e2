"""The table is a grid where scenarios share their versions, and a ladder where each has its own."""

from __future__ import annotations

from highwater.reports.cells import Cell
from highwater.reports.page import render

VERSIONS = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.0", "2.0.1", "2.1.1", "2.8.0", "2.8.1", "3.9.1")


def cells(scenario: str, *versions: str) -> list[Cell]:
    return [
        Cell(scenario=scenario, kafka=version, trials=5, reproduced=5, expected="reproduced")
        for version in versions
    ]


def test_scenarios_that_share_their_versions_stand_in_a_grid() -> None:
    page = render([*cells("first", *VERSIONS), *cells("second", *VERSIONS)], [])

    assert '<table class="matrix">' in page
    assert "Kafka 0.10.2.2, " in page
    assert f"and {VERSIONS[-1]} each reproduced the failure in 5 of 5 trials of first" in page


def test_scenarios_with_versions_of_their_own_stand_in_a_ladder_without_gaps() -> None:
    thirds = [cells(name, *VERSIONS[3 * place :][:3]) for place, name in enumerate("abc")]

    page = render([cell for third in thirds for cell in third], [])

    ladder = page[page.index('<dl class="ladder">') : page.index("</dl>")]
    assert '<table class="matrix">' not in page
    assert ladder.count("<li") == len(VERSIONS)
    assert [ladder.index(version) for version in VERSIONS] == sorted(
        ladder.index(version) for version in VERSIONS
    )
