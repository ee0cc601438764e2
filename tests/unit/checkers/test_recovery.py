"""How sends fared under faults: from when sends waited, and from the timeline."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from highwater.checkers.progress import TENTH_NS, Progress
from highwater.checkers.recovery import Open, faults_of, recoveries
from highwater.harness.errors import RecordError


def fault(name: str, since: int, until: int | None) -> list[Open]:
    return faults_of(told_of(name, since, until))


def told_of(name: str, since: int, until: int | None, number: int = 1) -> list[dict[str, Any]]:
    """From one tenth to another."""
    row = {"kind": "fault", "text": name, "fault": name, "id": number}
    opened = {**row, "phase": "opened", "at_ns": since * TENTH_NS}
    closed = [] if until is None else [{**row, "phase": "closed", "at_ns": until * TENTH_NS}]
    return [opened, *closed]


def progress(answered: dict[int, int], *waits: tuple[int, int]) -> Progress:
    changes = Counter({since: 1 for since, _ in waits})
    changes.update({until: -1 for _, until in waits})
    return Progress(Counter(answered), changes)


def test_what_was_acknowledged_under_a_fault_is_counted() -> None:
    sent = progress({9: 50, 10: 7, 15: 3, 20: 1, 21: 90})

    told = recoveries([sent, progress({12: 2})], fault("Pause(broker=1)", 10, 20))

    assert told == "Pause(broker=1) at 1.0 s for 1.0 s: at least 5 acknowledged meanwhile"


def test_silence_that_ends_under_the_fault_is_told_from_its_beginning() -> None:
    sent = progress({9: 5, 35: 5}, (10, 35))

    told = recoveries([sent], fault("Kill(broker=1)", 10, 60))

    assert told == (
        "Kill(broker=1) at 1.0 s for 5.0 s: at least 5 acknowledged meanwhile, none for 2.5 s, "
        "again 2.5 s after it began"
    )


def test_silence_that_outlasts_the_fault_is_told_from_its_healing() -> None:
    one = progress({5: 1, 64: 1}, (12, 64))
    other = progress({5: 1, 40: 1}, (12, 40))

    told = recoveries([other, one], fault("Partition()", 10, 60))

    assert told.endswith(
        "1 acknowledged meanwhile, none for 5.2 s, again 0.4 s after it was healed"
    )


def test_silence_that_never_ended_is_no_recovery() -> None:
    told = recoveries([progress({}, (12, 40))], fault("Kill(broker=1)", 10, None))

    assert told == ("Kill(broker=1) at 1.0 s: none for 2.8 s, as long as sends waited")


def test_a_fault_under_which_nobody_sent_is_not_told() -> None:
    assert recoveries([progress({5: 1})], fault("Kill(broker=1)", 10, 20)) == ""
    assert faults_of([{"kind": "fault", "text": "foreign", "at_ns": 1}]) == []


def test_a_fault_whose_id_is_no_number_and_no_text_is_named() -> None:
    rows = [{**row, "id": [1]} for row in told_of("Kill(broker=1)", 1, 20)]

    with pytest.raises(RecordError, match=r"the id of a fault is \[1\], expected a number"):
        faults_of(rows)


def test_a_fault_at_a_time_that_no_record_may_have_is_named() -> None:
    with pytest.raises(RecordError, match=r"at_ns of a fault is 10{30}, expected it within"):
        faults_of(told_of("Kill(broker=1)", 10**22, None))


def test_many_faults_are_counted_and_the_first_are_told() -> None:
    events = [row for at in range(7) for row in told_of(f"Pause({at})", at, at + 2, number=at)]

    told = recoveries([progress(dict.fromkeys(range(9), 1))], faults_of(events)).split("; ")

    assert (len(told), told[0][:8], told[-1]) == (6, "Pause(0)", "and 2 faults more")
