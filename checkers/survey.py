"""Goes through a part of a record once, and notes what the rest of it has to know."""

from __future__ import annotations

import numpy as np

from highwater.checkers.facts import BLOCK_BITS, Facts, LogFacts, Reading, Standing
from highwater.checkers.rows import NONE, Bools, Ints, Rows, changes, groups, numbered, places


def survey_history(rows: Rows) -> Facts:
    facts = Facts()
    if not len(rows):
        return facts
    where, named = places(rows)
    ok = rows.is_word("outcome", "ok")
    poll, at_end = rows.is_word("action", "poll") & ok, rows.is_word("action", "end") & ok
    placed = rows.known("offset")
    reached = np.where(placed, rows["offset"] + poll, NONE)
    for place, highest in _largest(where, reached, (poll | at_end) & placed).items():
        facts.covered[named[place]] = highest
    sent = rows.is_word("action", "send")
    topics = np.unique(rows["topic"][sent])
    facts.written = {str(rows.words["topic"][topic]) for topic in topics}
    for at in np.flatnonzero(ok & rows.is_word("action", "end", "stall")):
        facts.readings.append(_reading(rows, int(at), named[where[at]]))
    _note_order(facts, rows.with_columns(place=where), named, acknowledged(rows))
    return facts


def acknowledged(rows: Rows) -> Bools:
    """What Kafka promised to keep, where it said the offset: sends with acks=all."""
    promised = rows.is_word("acks", "all") & rows.is_word("outcome", "ok")
    return promised & rows.is_word("action", "send") & (rows["offset"] >= 0)


def survey_logs(rows: Rows) -> Facts:
    facts = Facts()
    if not len(rows):
        return facts
    where, named = places(rows)
    sound = ~rows.known("problem")
    keys = numbered(where, rows["broker"], rows["segment"])
    for chosen in groups(keys):
        at = chosen[0]
        log = named[where[at]], int(rows["broker"][at])
        data = rows["offset"][chosen[rows["is_control"][chosen] == 0]]
        good = rows["offset"][chosen[sound[chosen]]]
        data_end = int(data.max()) + 1 if len(data) else NONE
        unstamped = int(np.count_nonzero(sound[chosen] & ~rows.known("leader_epoch")[chosen]))
        found = LogFacts(len(chosen), len(chosen) - len(good), data_end, unstamped)
        facts.logs.setdefault(log, LogFacts()).take_in(found)
        if len(good):
            segment = str(rows.words["segment"][rows["segment"][at]])
            facts.highest[(*log, segment)] = int(good.max())
            stamped = chosen[sound[chosen] & (rows["leader_epoch"][chosen] >= 0)]
            if len(stamped):
                last = int(rows["position"][stamped].max())
                batch = stamped[rows["position"][stamped] == last]
                facts.epochs[(*log, segment)] = last, int(rows["leader_epoch"][batch].max())
    return facts


def _reading(rows: Rows, at: int, place: tuple[str, int]) -> Reading:
    def number(name: str) -> int | None:
        found = int(rows[name][at])
        return None if found == NONE else found

    return Reading(
        client=str(rows.text("client", rows["client"][at])),
        action=str(rows.text("action", rows["action"][at])),
        place=place,
        offset=number("offset"),
        invoked_ns=int(rows["invoked_ns"][at]),
        completed_ns=number("completed_ns"),
    )


def _note_order(facts: Facts, rows: Rows, named: list[tuple[str, int]], promised: Bools) -> None:
    """Of each client's block of offsets, the record that was acknowledged first."""
    acked = rows.take(promised & (rows["completed_ns"] >= rows["invoked_ns"]))
    if not len(acked):
        return
    blocks = acked["offset"] >> BLOCK_BITS
    for chosen in groups(numbered(acked["place"], acked["client"], blocks)):
        at = chosen[0]
        done = acked["completed_ns"][chosen]
        first = chosen[done == done.min()]
        first = first[np.argmin(acked["offset"][first])]
        client = str(acked.words["client"][acked["client"][at]])
        standing = Standing(
            *(int(acked[name][first]) for name in ("completed_ns", "offset", "value"))
        )
        facts.earliest[named[acked["place"][at]], client, int(blocks[at])] = standing


def _largest(keys: Ints, values: Ints, mask: Bools) -> dict[int, int]:
    """The largest value for each key, among the rows of a mask."""
    keys, values = keys[mask], values[mask]
    if not len(keys):
        return {}
    starts = np.flatnonzero(changes(keys))
    largest = np.full(int(keys.max()) + 1, NONE)
    np.maximum.at(largest, keys[starts], np.maximum.reduceat(values, starts))
    return {int(key): int(largest[key]) for key in np.unique(keys[starts])}
