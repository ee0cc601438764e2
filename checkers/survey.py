"""Goes through a part of a record once, and notes what the rest of it has to know."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from highwater.checkers.facts import (
    BLOCK_BITS,
    Facts,
    LogFacts,
    Reading,
    Standing,
    spanned,
)
from highwater.checkers.progress import progress_of
from highwater.checkers.rows import (
    NONE,
    Bools,
    Ints,
    Rows,
    alike,
    changes,
    groups,
    numbered,
    places,
)


def survey_history(rows: Rows) -> Facts:
    facts = Facts()
    if not len(rows):
        return facts
    where, named = places(rows)
    ok = rows.is_word("outcome", "ok")
    poll, at_end = rows.is_word("action", "poll") & ok, rows.is_word("action", "end") & ok
    for reached, behind in ((poll, 1), (at_end, 0)):
        for number, highest in _largest(where, rows["offset"], reached & rows.known("offset")):
            place = named[number]
            facts.covered[place] = max(highest + behind, facts.covered.get(place, NONE))
    sent = rows.is_word("action", "send")
    topics = np.flatnonzero(np.bincount(rows["topic"][sent]))
    facts.written = {str(rows.words["topic"][topic]) for topic in topics}
    for at in np.flatnonzero(ok & rows.is_word("action", "end", "stall")):
        facts.readings.append(_reading(rows, int(at), named[where[at]]))
    if sent.any():
        progress = progress_of(rows, where, sent & ~rows.is_word("outcome", "invoked"))
        facts.progress = {named[number]: each for number, each in progress.items()}
    in_time = rows["completed_ns"] >= rows["invoked_ns"]
    for (number, client, block), chosen in _blocks(rows, where, acknowledged(rows) & in_time):
        first = _first(rows, chosen, rows["completed_ns"][chosen])
        facts.acknowledged[named[number], client, block] = first
    for (number, client, block), chosen in _blocks(rows, where, poll & (rows["offset"] >= 0)):
        reader = named[number], client
        facts.handed[(*reader, block)] = _first(rows, chosen, rows["op"][chosen] + 1)
        offsets = rows["offset"][chosen]
        reach = int(offsets.min()), int(offsets.max())
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


def _blocks(
    rows: Rows, where: Ints, asked: Bools
) -> Iterator[tuple[tuple[int, str, int], npt.NDArray[np.intp]]]:
    """Which of the rows that are asked each partition, client and block of offsets has."""
    keys = [where, rows["client"], rows["offset"] >> BLOCK_BITS]
    asking = None if asked.all() else np.flatnonzero(asked)
    if asking is not None:
        keys = [key[asking] for key in keys]
    for found in groups(alike(*keys)):
        place, client, block = (int(key[found[0]]) for key in keys)
        chosen = found if asking is None else asking[found]
        yield (place, str(rows.text("client", client)), block), chosen


def _first(rows: Rows, block: npt.NDArray[np.intp], ended: Ints) -> Standing:
    """The record of a block that ended first."""
    at_first = ended == ended.min()
    done = block[at_first]
    first = done[np.argmin(rows["offset"][done])]
    return Standing(int(ended.min()), int(rows["offset"][first]), int(rows["value"][first]))


def _largest(keys: Ints, values: Ints, mask: Bools) -> Iterator[tuple[int, int]]:
    """The largest value for each key, among the rows of a mask."""
    keys, values = keys[mask], values[mask]
    if not len(keys):
        return
    starts = np.flatnonzero(changes(keys))
    largest = np.full(int(keys.max()) + 1, NONE)
    np.maximum.at(largest, keys[starts], np.maximum.reduceat(values, starts))
    for key in np.unique(keys[starts]):
        yield int(key), int(largest[key])
