"""How sends fared under faults: from when sends waited, and from the timeline."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwater.checkers.aftermath import Sent
from highwater.checkers.progress import TENTH_NS, Progress, stalls
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


TENTHS = st.integers(0, 60)
SPANS = st.tuples(TENTHS, st.integers(1, 30)).map(lambda each: (each[0], sum(each)))


@given(
    several=st.lists(
        st.tuples(st.dictionaries(TENTHS, st.integers(1, 9)), st.lists(SPANS, max_size=4)),
        max_size=3,
    ),
    spans=st.lists(SPANS, min_size=1, max_size=5),
    is_open=st.booleans(),
)
def test_what_is_told_of_a_fault_is_what_a_look_at_every_tenth_tells(
    several: list[tuple[dict[int, int], list[tuple[int, int]]]],
    spans: list[tuple[int, int]],
    is_open: bool,
) -> None:
    sent = [progress(answered, *waits) for answered, waits in several]
    ends: list[int | None] = [until for _, until in spans]
    if is_open:
        ends[-1] = None
    events = [
        row
        for at, ((since, _), until) in enumerate(zip(spans, ends, strict=True))
        for row in told_of(f"Kill({at})", since, until, number=at)
    ]

    told = recoveries(sent, faults_of(events))

    for at, ((since, _), until) in enumerate(zip(spans, ends, strict=True)):
        last = float("inf") if until is None else until
        acked = sum(n for each in sent for t, n in each.answered.items() if since < t < last)
        silent = [
            (until, begun)
            for each in sent
            for begun, until in stalls(each)
            if begun <= last and until > since
        ]
        mine = [text for text in told.split("; ") if text.startswith(f"Kill({at}) at ")]
        assert len(mine) == bool(acked or silent)
        for text in mine:
            assert (f"at least {acked} acknowledged" in text) == (acked > 0)
            assert ("none for" in text) == bool(silent)
            if silent:
                lasted, begun = max(silent)
                assert f"none for {(lasted - begun) * TENTH_NS / 1e9:.1f} s" in text


@given(
    gaps=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=20),
    since_ns=st.integers(-5, 200),
    lasts_ns=st.integers(-3, 200),
)
def test_the_longest_silence_of_a_time_is_that_of_all_of_which_some_lies_in_it(
    gaps: list[tuple[int, int]], since_ns: int, lasts_ns: int
) -> None:
    edges = np.cumsum(np.array(gaps, np.int64).reshape(-1))
    silences = edges.reshape(-1, 2)
    none, before_ns = np.empty(0, np.int64), since_ns + lasts_ns
    sent = Sent(none, none, silences[:, 0], silences[:, 1], 0)

    longest = sent.silent_ns(since_ns, before_ns)

    assert longest == max(
        (
            until - since
            for since, until in silences.tolist()
            if until > since_ns and since < before_ns
        ),
        default=0,
    )
