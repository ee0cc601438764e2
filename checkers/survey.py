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
    LAST,
    NONE,
    Bools,
    Ints,
    Rows,
    alike,
    first_rows,
    groups,
    numbered,
    places,
)
from highwater.checkers.spans import Block, Steps, spans_of
from highwater.harness.model import name_in_kafka


def survey_history(rows: Rows) -> Facts:
    facts = Facts()
    if not len(rows):
        return facts
    where, named = places(rows)
    ok = rows.is_word("outcome", "ok")
    poll = rows.is_word("action", "poll") & ok
    facts.last_ns = int(max(rows["invoked_ns"].max(), rows["completed_ns"].max()))
    sent = rows.is_word("action", "send")
    failed = sent & rows.is_word("outcome", "failed") & rows.known("value")
    facts.failed = [np.unique(rows["value"][failed])] if failed.any() else []
    unnamed = np.unique(where[sent & ~rows.known("value")])
    facts.nameless = {named[number] for number in unnamed}
    topics = np.flatnonzero(np.bincount(rows["topic"][sent]))
    facts.written = {name_in_kafka(str(rows.words["topic"][topic])) for topic in topics}
    for at in np.flatnonzero(ok & rows.is_word("action", "end", "stall")):
        facts.readings.append(_reading(rows, int(at), named[where[at]]))
    if sent.any():
        told = sent & ~rows.is_word("outcome", "invoked")
        unended = np.flatnonzero(sent & ~told)
        for at in unended[first_rows(numbered(where[unended], rows["client"][unended]))]:
            facts.unended.add((named[where[at]], str(rows.text("client", int(rows["client"][at])))))
        for (number, sender), progress in progress_of(rows, where, told).items():
            facts.progress_by[named[number], str(rows.text("client", sender))] = progress
    in_time = rows["completed_ns"] >= rows["invoked_ns"]
    for (number, client, block), chosen in _blocks(rows, where, acknowledged(rows)):
        key, timely = (named[number], client, block), chosen[in_time[chosen]]
        facts.given[key] = _first(rows, chosen, rows["op"][chosen])
        if len(timely):
            facts.acknowledged[key] = _first(rows, timely, rows["completed_ns"][timely])
    _survey_polls(facts, rows, poll)
    return facts


def _survey_polls(facts: Facts, rows: Rows, poll: Bools) -> None:
    where, named = places(rows)
    for (number, client, block), chosen in _blocks(rows, where, poll & (rows["offset"] >= 0)):
        facts.handed[named[number], client, block] = _first(rows, chosen, rows["op"][chosen])
        _note_steps(facts, (named[number], client, block), rows, chosen)
    untold = poll & (rows["offset"] < 0)
    for number, client in {*zip(where[untold], rows["client"][untold], strict=True)}:
        facts.untold.add((named[number], str(rows.text("client", client))))
    blank = poll & ~rows.known("value")
    for number in np.unique(where[blank]) if blank.any() else ():
        offsets = rows["offset"][blank & (where == number)]
        anywhere = (offsets < 0).any()
        facts.unreadable[named[number]] = [(0, LAST)] if anywhere else spans_of(offsets)


def _note_steps(facts: Facts, block: Block, rows: Rows, chosen: npt.NDArray[np.intp]) -> None:
    offsets, reader = rows["offset"][chosen], block[:2]
    reach = int(offsets.min()), int(offsets.max())
    facts.handed_within[reader] = spanned(reach, facts.handed_within.get(reader, reach))
    begun_ns, ended_ns = rows["invoked_ns"][chosen], rows["completed_ns"][chosen]
    if ((ended_ns != NONE) & (ended_ns < begun_ns)).any():
        facts.backwards.add(reader)
    facts.steps[block] = Steps.of(offsets, begun_ns, ended_ns)


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
    summed = rows.known("checksum")
    blank = sound & ~rows.known("value") & (rows["is_control"] == 0)
    keys = numbered(where, rows["broker"], rows["segment"])
    for chosen in groups(keys):
        at = chosen[0]
        log = named[where[at]], int(rows["broker"][at])
        good = rows["offset"][chosen[sound[chosen]]]
        first = int(rows["offset"][chosen].min())
        unstamped = int(np.count_nonzero(sound[chosen] & ~rows.known("leader_epoch")[chosen]))
        found = LogFacts(len(chosen), len(chosen) - len(good), first, unstamped)
        found.nameless = spans_of(rows["offset"][chosen[(blank & ~summed)[chosen]]])
        found.foreign = np.unique(rows["checksum"][chosen[(blank & summed)[chosen]]])
        facts.logs.setdefault(log, LogFacts()).take_in(found)
        segment = str(rows.words["segment"][rows["segment"][at]])
        facts.begins[(*log, segment)] = int(rows["position"][chosen].min())
        if len(good):
            facts.highest[(*log, segment)] = int(good.max())
            stamped = chosen[sound[chosen] & (rows["leader_epoch"][chosen] >= 0)]
            if len(stamped):
                lie = (rows["leader_epoch"], rows["offset"], rows["position"])
                last = stamped[np.lexsort([column[stamped] for column in lie])[-1]]
                facts.epochs[(*log, segment)] = tuple(int(column[last]) for column in lie[::-1])
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
    done, in_time = rows["completed_ns"], rows["completed_ns"] >= rows["invoked_ns"]
    offset, value = int(rows["offset"][first]), int(rows["value"][first])
    return Standing(int(ended.min()), offset, value, int(done[first]) if in_time[first] else NONE)
