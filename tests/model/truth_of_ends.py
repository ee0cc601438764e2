"""What is true of readers that took something for the end of a log, or stood still."""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.clients import FAILED, INVOKED, OK, SECOND_NS, Handing, Send, Stop
from tests.model.facts import ANY, NO, NOT_YES, NOTHING, YES, Answers, Facts


def stale_read(facts: Facts) -> Iterator[Answers]:
    """Told that the log ends below what was acknowledged before it asked, and was handed to
    somebody; an open transaction holds readers back rightly.
    """
    for stop in facts.case.world.stops:
        if stop.action != "end":
            continue
        yield NO
        yield from _hidden_though_handed(facts, stop)
        for one in facts.promised[stop.reader.partition]:
            yield _hidden(facts, stop, one)


def _hidden_though_handed(facts: Facts, stop: Stop) -> Iterator[Answers]:
    """Committed by what a reader was handed, if that was right."""
    before = [each for each in facts.promised[stop.reader.partition] if _is_before(each, stop)]
    promised = {each.value for each in before}
    for each in facts.handed_at[stop.reader.partition]:
        early = facts.case.precedes(each.completed_ns, stop.invoked_ns)
        if early and each.offset >= stop.offset and each.value not in promised:
            yield _below_what_was_handed(facts, stop, each)


def _below_what_was_handed(facts: Facts, stop: Stop, one: Handing) -> Answers:
    """Readers of uncommitted records are handed what others have to wait for."""
    lost = any(where is stop.reader.partition for _, where in facts.case.world.marker_lost)
    is_clear = one.is_sound and not lost and not facts.case.settings.hazards
    if one.reader.takes_uncommitted and not stop.reader.takes_uncommitted:
        return NOT_YES | NOTHING if is_clear and stop.offset == stop.stable else ANY
    return ANY


def _is_before(one: Send, stop: Stop) -> bool:
    return (one.completed_ns or 0) < stop.invoked_ns


def _hidden(facts: Facts, stop: Stop, one: Send) -> Answers:
    assert one.completed_ns is not None
    handed = facts.handed_of.get((one.partition, one.value), [])
    beyond = [each.offset >= stop.offset for each in handed]
    waits = not stop.reader.takes_uncommitted
    if waits and any(where is one.partition for _, where in facts.case.world.marker_lost):
        return ANY  # committed by what the client was told, and nobody can read it
    if one.offset is None or (one.offset >= stop.offset) not in beyond:
        # After an unclean election markers may be gone, and nobody is handed what is there.
        return (ANY if any(beyond) or facts.case.settings.hazards else NOT_YES) | NOTHING
    if all(beyond):
        later = any(each.completed_ns > stop.completed_ns for each in handed)
        said = _stale(facts, stop, one.completed_ns)
        # What nobody is handed any more is lost: where the log is known that claim says so.
        return said if later or not facts.case.evidence.has_ends else said | ANY
    return ANY if any(beyond) else NOTHING


def _stale(facts: Facts, stop: Stop, acknowledged_ns: int) -> Answers:
    if acknowledged_ns >= stop.invoked_ns:
        return NOT_YES | NOTHING
    if not facts.case.precedes(acknowledged_ns, stop.invoked_ns):
        return ANY
    if stop.reader.takes_uncommitted:
        return YES
    is_held = stop.stable < stop.watermark
    if is_held and stop.offset == stop.stable:
        lost = any(where is stop.reader.partition for _, where in facts.case.world.marker_lost)
        return ANY if lost or facts.case.settings.hazards else NOT_YES | NOTHING
    if not facts.case.evidence.tells_clients and _may_be_unmarked(facts, stop):
        return ANY
    return ANY if _has_open_sends(facts, stop) else YES


def _may_be_unmarked(facts: Facts, stop: Stop) -> bool:
    """Who does not know that nobody used transactions may take the stop for a stable offset.

    It would be that of a transaction whose end was confirmed, and whose marker was not written.
    """
    return any(
        one.partition is stop.reader.partition and one.offset in {None, stop.offset}
        for one in facts.case.world.sends
        if one.invoked_ns <= stop.completed_ns and one.acks == "all"
    )


def _has_open_sends(facts: Facts, stop: Stop) -> bool:
    """Sends that were under way: a transaction that may have held the reader back."""
    return any(
        one.partition is stop.reader.partition
        and one.invoked_ns <= stop.completed_ns
        and (one.outcome != OK or (one.completed_ns or 0) >= stop.invoked_ns)
        for one in facts.case.world.sends
    )


def stuck_reader(facts: Facts) -> Iterator[Answers]:
    for stop in facts.case.world.stops:
        if stop.action == "end":
            yield NO
        elif stop.reader.takes_uncommitted:
            yield _stuck_for_nothing(facts, stop)
        else:
            yield _stuck(facts, stop)


def _stuck_for_nothing(facts: Facts, stop: Stop) -> Answers:
    """A reader of uncommitted records: no transaction keeps it waiting.

    What it was handed below itself stands elsewhere than was told, or once more.
    """
    if facts.case.settings.hazards:
        return ANY
    partition, precedes = stop.reader.partition, facts.case.precedes
    own = {one.value for one in facts.by_reader[stop.reader.name] if one.offset < stop.offset}
    handed = [
        one
        for one in facts.handed_at[partition]
        if one.offset >= stop.offset and precedes(one.completed_ns, stop.invoked_ns)
    ]
    promised = [
        one
        for one in facts.promised[partition]
        if one.offset is not None
        and one.offset >= stop.offset
        and precedes(one.completed_ns or 0, stop.invoked_ns)
    ]
    known: set[int | None] = {one.value for one in promised}
    untold = [one for one in facts.promised[partition] if one.offset is None]
    known |= {one.value for one in handed if one.is_sound and _is_sent_once(facts, one)}
    if known - own:
        return YES
    return ANY if handed or promised or untold else NOT_YES  # aborted, or no record to be handed


def _is_sent_once(facts: Facts, one: Handing) -> bool:
    """And not in vain, and stands where was told: of several attempts nobody tells."""
    sends = facts.sends_of.get(one.value or 0, [])
    told = {each.offset for each in sends if each.outcome == OK} - {None, one.offset}
    return len(sends) == 1 and sends[0].outcome != FAILED and not told


def _stuck(facts: Facts, stop: Stop) -> Answers:
    """It stood still for all its time below the high watermark."""
    partition = stop.reader.partition
    mine = [one for one in facts.case.world.sends if one.partition is partition]
    pending = [
        one
        for one in mine
        if not facts.case.precedes(stop.completed_ns, one.invoked_ns)
        and (
            one.outcome in {INVOKED, "unknown"}
            or not facts.case.precedes(one.completed_ns or 0, stop.invoked_ns)
        )
    ]
    before = [
        one
        for one in facts.promised[partition]
        if one.offset is not None
        and one.offset >= stop.offset
        and one.completed_ns is not None
        and facts.case.precedes(one.completed_ns, stop.invoked_ns)
    ]
    lost_marker = any(where is partition for _, where in facts.case.world.marker_lost)
    if not lost_marker and not facts.case.settings.hazards:  # by which markers get lost as well
        return NOT_YES | NOTHING
    marked_ns = stop.completed_ns - SECOND_NS
    unmarked = any(one.transaction and (one.completed_ns or 0) > marked_ns for one in mine)
    if pending or unmarked or facts.case.settings.hazards:
        return ANY
    return YES if before else ANY | NOTHING
