"""Moves of replicas that are not done."""

from __future__ import annotations

from itertools import pairwise

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, place

LONG_S, APART_S = 30, 10


def stuck_move(record: Record) -> Opinion:
    return opinion_of(
        _is_stuck(sorted(grouped(rows, lambda row: row["at_ns"]).items()))
        for rows in grouped(record["reassignments"], place).values()
    )


def _is_stuck(moments: list[tuple[int, list[Row]]]) -> bool | None:
    """Cut the looks where something else is said, and ask of each piece for how long it lasts."""
    moves = [_ready_move(rows) for _, rows in moments]
    cuts = [0]
    for at, ((one, other), (before, after)) in enumerate(
        zip(pairwise(moves), pairwise(moments), strict=True), start=1
    ):
        if one != other or after[0] - before[0] > APART_S * 10**9:
            cuts.append(at)
    for begin, end in pairwise([*cuts, len(moments)]):
        lasts_ns = moments[end - 1][0] - moments[begin][0]
        if moves[begin] is not None and lasts_ns > LONG_S * 10**9:
            return True
    return None if moves[-1] is not None else False


def _ready_move(rows: list[Row]) -> object:
    """Who comes and who goes by all rows of a moment, where nobody has to be waited for."""
    told = set()
    for row in rows:
        come, go, isr, assigned = (
            {each for each in row[name].split(",") if each}
            for name in ("adding", "removing", "isr", "replicas")
        )
        is_ready = row["leader"] > -1 and not come - isr and not (come | go) - assigned
        told.add((frozenset(come), frozenset(go)) if is_ready and go else None)
        if len(come) < len(go):
            return None
    return told.pop() if len(told) == 1 else None
