"""Goes through a part of a record once, and notes what the rest of it has to know."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from highwater.checkers.facts import (
    BLOCK_BITS,
    Facts,
    LogFacts,
    Reading,
    Standing,
    spanned,
)
from highwater.checkers.progress import progress_of
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
    progress = progress_of(rows, where, sent & ~rows.is_word("outcome", "invoked"))
    facts.progress = {named[number]: each for number, each in progress.items()}
    placed_rows = rows.with_columns(place=where)
    in_time = rows["completed_ns"] >= rows["invoked_ns"]
    names = ("place", "client", "offset", "value")
    sends = placed_rows.only(*names, "completed_ns")
    for (number, client, block), of_block in _blocks(sends, acknowledged(rows) & in_time):
        facts.acknowledged[named[number], client, block] = _first(of_block, "completed_ns")
    polls = placed_rows.with_columns(behind=rows["op"] + 1).only(*names, "behind")
    for (number, client, block), of_block in _blocks(polls, poll & (rows["offset"] >= 0)):
        facts.handed[named[number], client, block] = _first(of_block, "behind")
        reach = int(of_block["offset"].min()), int(of_block["offset"].max())
        reader = named[number], client
        facts.handed_within[reader] = spanned(reach, facts.handed_within.get(reader, reach))
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


def _blocks(rows: Rows, asked: Bools) -> Iterator[tuple[tuple[int, str, int], Rows]]:
    """The rows of each partition, client and block of offsets that are asked."""
    asking = rows.take(asked)
    blocks = asking["offset"] >> BLOCK_BITS
    for chosen in groups(numbered(asking["place"], asking["client"], blocks)):
        at = chosen[0]
        client = str(asking.text("client", int(asking["client"][at])))
        yield (int(asking["place"][at]), client, int(blocks[at])), asking.take(chosen)


def _first(block: Rows, ended: str) -> Standing:
    """The record of a block that ended first."""
    done = np.flatnonzero(block[ended] == block[ended].min())
    first = done[np.argmin(block["offset"][done])]
    return Standing(*(int(block[name][first]) for name in (ended, "offset", "value")))


def _largest(keys: Ints, values: Ints, mask: Bools) -> dict[int, int]:
    """The largest value for each key, among the rows of a mask."""
    keys, values = keys[mask], values[mask]
    if not len(keys):
        return {}
    starts = np.flatnonzero(changes(keys))
    largest = np.full(int(keys.max()) + 1, NONE)
    np.maximum.at(largest, keys[starts], np.maximum.reduceat(values, starts))
    return {int(key): int(largest[key]) for key in np.unique(keys[starts])}
