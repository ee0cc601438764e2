"""Which moves of transactions fit, by where their producer stands; and how they are written."""

from __future__ import annotations

from typing import cast

import pytest

from highwater.exploration.steps import Step
from highwater.exploration.transacting import Arrive, Claim, End, Write, WriteLate
from highwater.exploration.transactors import Late, Standing, Transactor
from highwater.harness.errors import UsageError

LATE = Late("127.0.0.1:1", b"", 3)
MOVES = {
    "claim": Claim(1),
    "write": Write(1, 1),
    "write late": WriteLate(1),
    "arrive": Arrive(1),
    "commit": End(1, commit=True),
    "abort": End(1, commit=False),
}


class Stands:
    """As much of a producer as a move asks about."""

    def __init__(self, standing: Standing, late: Late | None = None) -> None:
        self.standing, self.late = standing, late


@pytest.mark.parametrize(
    ("standing", "late", "fitting"),
    [
        (Standing.NEW, None, {"claim"}),
        (Standing.READY, None, {"write", "write late"}),
        (Standing.READY, LATE, {"write", "arrive"}),
        (Standing.OPEN, None, {"claim", "write", "write late", "commit", "abort"}),
        (Standing.BROKEN, LATE, {"claim", "abort", "arrive"}),
        (Standing.DOUBT, None, {"claim"}),
    ],
)
def test_a_producer_does_what_a_client_library_would(
    standing: Standing, late: Late | None, fitting: set[str]
) -> None:
    producer = cast("Transactor", Stands(standing, late))

    assert {name for name, move in MOVES.items() if move.may(producer)} == fitting


def test_one_that_has_done_nothing_can_only_begin() -> None:
    assert {name for name, move in MOVES.items() if move.may(None)} == {"claim"}


@pytest.mark.parametrize("move", MOVES.values())
def test_a_move_is_read_as_it_was_written(move: Claim | Write | WriteLate | Arrive | End) -> None:
    assert Step.from_json(Step(move).to_json()) == Step(move)


def test_no_producer_has_the_number_nought() -> None:
    with pytest.raises(UsageError, match="a producer from 1 on"):
        Step.from_json({"move": "claim", "producer": 0})


@pytest.mark.parametrize("records", [0, -3, 10**13, True, "1"])
def test_nobody_writes_no_records_or_too_many(records: object) -> None:
    with pytest.raises(UsageError):
        Step.from_json({"move": "write", "producer": 1, "records": records})
