"""Which moves of transactions fit, by where their producer stands; and how they are written."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.ground import Ground
from highwater.exploration.steps import Move, Step
from highwater.exploration.transacting import (
    Arrive,
    Claim,
    CommitLate,
    CommitWithin,
    End,
    Write,
    WriteLate,
)
from highwater.exploration.transactors import Late, Standing, Transactor
from highwater.exploration.views import View
from highwater.harness.errors import UsageError

LATE = Late("127.0.0.1:1", b"", 3)
MOVES = {
    "claim": Claim(1),
    "write": Write(1, 1),
    "write late": WriteLate(1),
    "commit within": CommitWithin(1),
    "commit late": CommitLate(1),
    "arrive": Arrive(1),
    "commit": End(1, commit=True),
    "abort": End(1, commit=False),
}
ON_TIME, LATELY = {"write", "commit within"}, {"write late", "commit late"}


class Stands:
    """As much of a producer as a move asks about."""

    def __init__(self, standing: Standing, late: Late | None = None) -> None:
        self.standing, self.late = standing, late


@pytest.mark.parametrize(
    ("standing", "late", "fitting"),
    [
        (Standing.NEW, None, {"claim"}),
        (Standing.READY, None, {*ON_TIME, *LATELY}),
        (Standing.READY, LATE, {*ON_TIME, "arrive"}),
        (Standing.OPEN, None, {"claim", *ON_TIME, *LATELY, "commit", "abort"}),
        (Standing.BROKEN, LATE, {"claim", "abort", "arrive"}),
        (Standing.DOUBT, None, {"claim"}),
    ],
)
def test_a_producer_does_what_a_client_library_would(
    standing: Standing, late: Late | None, fitting: set[str]
) -> None:
    producer = cast("Transactor", Stands(standing, late))

    assert {name for name, move in MOVES.items() if move.may(producer)} == fitting


@pytest.mark.parametrize("of_positions", [True, False])
def test_what_is_sent_is_of_the_log_that_is_played_on(of_positions: bool) -> None:
    stands = SimpleNamespace(standing=Standing.READY, late=None, is_busy=False)
    there = SimpleNamespace(
        kafka=SimpleNamespace(has_record_batches=True),
        positions=object() if of_positions else None,
        transactors={1: stands},
    )
    ground, view = cast("Ground", there), cast("View", SimpleNamespace(leader=1))

    fitting = {name for name, move in MOVES.items() if move.fits(ground, view)}

    own = {"commit within", "commit late"} if of_positions else {"write", "write late"}
    assert fitting == own


def test_one_that_has_done_nothing_can_only_begin() -> None:
    assert {name for name, move in MOVES.items() if move.may(None)} == {"claim"}


@pytest.mark.parametrize("move", MOVES.values())
def test_a_move_is_read_as_it_was_written(move: Move) -> None:
    assert Step.from_json(Step(move).to_json()) == Step(move)


@pytest.mark.parametrize("number", [0, -1, 10**9])
@pytest.mark.parametrize("move", ["claim", "commit_within", "commit_late", "arrive"])
def test_no_producer_has_a_number_that_no_log_is_read_by(move: str, number: int) -> None:
    with pytest.raises(UsageError, match="a producer from 1 on, of nine digits at most"):
        Step.from_json({"move": move, "producer": number})


@pytest.mark.parametrize("records", [0, -3, 10**13, True, "1"])
def test_nobody_writes_no_records_or_too_many(records: object) -> None:
    with pytest.raises(UsageError):
        Step.from_json({"move": "write", "producer": 1, "records": records})
