"""Which violations are unexpected: what a scenario tolerates, maybe on some releases alone."""

from __future__ import annotations

import pytest
from tests.unit.front.test_cells import REPRODUCED, cell, result, verdict

from highwater.harness.errors import UsageError
from highwater.harness.model import Answer
from highwater.harness.scenario import scenario
from highwater.identity import of_cell


def test_a_violation_that_nobody_allowed_is_unexpected_even_when_all_was_shown() -> None:
    tolerant = cell(tolerates={"committed-truncation": "it is how the records are lost"})
    violated = [
        verdict(name, Answer.VIOLATED)
        for name in ("phantom-read", "lost-write", "committed-truncation", "duplicate")
    ]
    others = [verdict("corrupt-value", Answer.UNKNOWN), verdict("nonmonotonic-send", Answer.HELD)]

    shown = result(tolerant, REPRODUCED, verdicts=[*violated, *others])

    assert shown.unexpected == ["duplicate", "phantom-read"]
    assert not shown.as_expected


def test_a_tolerated_violation_is_as_expected() -> None:
    tolerant = cell(tolerates={"duplicate": "a retry"})

    shown = result(tolerant, REPRODUCED, verdicts=[verdict("duplicate", Answer.VIOLATED)])

    assert shown.as_expected


@pytest.mark.parametrize(("kafka", "unexpected"), [("2.8.0", []), ("2.8.2", ["duplicate"])])
def test_what_is_tolerated_on_some_releases_is_unexpected_on_others(
    kafka: str, unexpected: list[str]
) -> None:
    tolerant = cell(
        kafka, tolerates={"duplicate": "so it is"}, tolerated_on={"duplicate": "==2.8.0"}
    )

    shown = result(tolerant, REPRODUCED, verdicts=[verdict("duplicate", Answer.VIOLATED)])

    assert shown.unexpected == unexpected
    assert of_cell(tolerant, 1).subject.names["tolerates"] == (
        {} if unexpected else {"duplicate": "so it is"}
    )


@pytest.mark.parametrize(
    ("tolerated_on", "why"),
    [
        ({"lost-write": "<2"}, r"claims in tolerates, saw \['lost-write'\]"),
        ({"duplicate": "banana"}, "'banana' is not a bound"),
        ({"duplicate": ""}, "a range of releases for duplicate"),
    ],
)
def test_releases_that_are_none_are_refused_where_a_scenario_is_written(
    tolerated_on: dict[str, str], why: str
) -> None:
    named = scenario(
        source="KIP-0",
        claims=("phantom-read",),
        tolerates={"duplicate": "so it is"},
        tolerated_on=tolerated_on,
    )

    def play(_play: object, _partition: object) -> None:
        """A story."""

    with pytest.raises(UsageError, match=why):
        named(play)
