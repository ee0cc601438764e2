"""Readers of uncommitted records are handed what others are not, and change nothing for these."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.model import program
from tests.model.choices import Seeded
from tests.model.clients import FAILED, GROUPS
from tests.model.evidence import Case, case_of
from tests.model.facts import Facts
from tests.model.world import World
from tests.model.written import tables_of

STORIES = 150
THEIR_GROUPS = {f"g{each}" for each in GROUPS[len(GROUPS) // 2 :]}
MAY_BE_THEIRS = {"made_of", "group_id"}  # who sends for one of their groups has sent as before


def _of_others(case: Case) -> dict[str, list[dict[str, Any]]]:
    theirs = {one.reader.name for one in case.world.handings if one.reader.takes_uncommitted}
    theirs |= {one.reader.name for one in case.world.stops if one.reader.takes_uncommitted}
    return {
        table: [
            {name: value for name, value in row.items() if name not in MAY_BE_THEIRS}
            for row in rows
            if row.get("client") not in theirs and row.get("group") not in THEIR_GROUPS
        ]
        for table, rows in tables_of(case).items()
    }


def _nobody(world: World) -> None:
    del world


def test_all_else_is_what_it_was_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [case_of(Seeded(seed)) for seed in range(STORIES)]
    monkeypatch.setattr(program, "beside_of", _nobody)
    without = [case_of(Seeded(seed)) for seed in range(STORIES)]

    assert any(one.world.beside is not None for one in told)
    assert all(one.world.beside is None for one in without)
    assert [_of_others(one) for one in told] == [_of_others(one) for one in without]


def test_they_are_handed_what_is_open_and_what_is_aborted() -> None:
    found: Counter[str] = Counter()
    for seed in range(STORIES):
        facts = Facts(case_of(Seeded(seed)))
        theirs = [one for one in facts.case.world.handings if one.reader.takes_uncommitted]
        for one in theirs:
            sends = [each for each in facts.attempts(one.value, one.partition) if each.transaction]
            found["aborted"] += any(each.outcome == FAILED for each in sends)
            found["open"] += any(one.completed_ns < (each.completed_ns or 0) for each in sends)
            found["in a group"] += one.reader.group is not None

    assert min(found[each] for each in ("aborted", "open", "in a group")) > 10
