"""What clients achieved, by the second: rates, latencies, and how long nothing was acknowledged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from highwater.checkers.rows import LAST, Ints
from highwater.checkers.tallies import (
    ACKED,
    ENDED,
    HANDED,
    SLOT_NS,
    UNTOLD,
    Series,
    Tallies,
    Tally,
    longest_ns,
)
from highwater.harness.measurements import MEASURES

PERMILLES = {"p50": 500, "p99": 990, "p999": 999, "max": 1000}
LATENCIES = {ACKED: "ack", HANDED: "end_to_end"}

Level = tuple[str, str, int | None]  # client, topic, and partition; None: all of them
Row = dict[str, Any]


def measures_of(tallies: Tallies, unacked_since: Mapping[str, int]) -> pa.Table:
    """A row for each client and partition in each second, and in all; see docs/ledger.md.

    `unacked_since` is of a load's next process: what history tells of one that was killed ends
    with the last part that it wrote.
    """
    levels: dict[Level, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for series, tally in sorted(tallies.of.items()):
        for level in _levels(series):
            levels[level][series.ended].take_in(tally)
    rows = [
        row
        for level, tally_of in sorted(levels.items(), key=lambda item: _in_order(item[0]))
        for row in _rows(level, tally_of, unacked_since.get(level[0], LAST))
    ]
    return pa.Table.from_pylist(rows, schema=MEASURES)


def _levels(series: Series) -> Iterator[Level]:
    topic, partition = series.place
    yield series.client, topic, None
    yield series.client, topic, partition


def _in_order(level: Level) -> tuple[str, str, int]:
    client, topic, partition = level
    return client, topic, -1 if partition is None else partition


def _rows(level: Level, tallies: Mapping[str, Tally], since_ns: int) -> Iterator[Row]:
    """Of the whole run first, and then of its seconds; the first gap may have begun before."""
    named = dict(zip(("client", "topic", "partition"), level, strict=True))
    counts = {ended: np.concatenate(tally.counts, axis=1) for ended, tally in tallies.items()}
    yield {**named, **_figures(counts), **_times(tallies, since_ns)}
    ordered = {ended: each[:, np.argsort(each[0])] for ended, each in counts.items()}
    seconds = np.unique(np.concatenate([each[0] for each in counts.values()]))
    for second in seconds.tolist():
        own = {ended: _within(each, second) for ended, each in ordered.items()}
        yield {**named, "second": second, **_figures(own)}


def _within(counts: Ints, second: int) -> Ints:
    first, end = np.searchsorted(counts[0], (second, second + 1))
    return counts[:, first:end]


def _figures(counts: Mapping[str, Ints]) -> Row:
    found: Row = {ended: int(counts[ended][2].sum()) if ended in counts else 0 for ended in ENDED}
    for ended, name in LATENCIES.items():
        if ended in counts:
            told = _percentiles(counts[ended])
            found |= {f"{name}_{which}_ms": each for which, each in told.items()}
    return found


def _percentiles(counts: Ints) -> dict[str, float]:
    """In milliseconds; nothing where no latency is known."""
    order = np.argsort(counts[1])
    bucket, count = counts[1:, order[np.searchsorted(counts[1, order], UNTOLD, "right") :]]
    if not len(bucket):
        return {}
    up_to = np.cumsum(count)
    ranks = [-(-int(up_to[-1]) * permille // 1000) for permille in PERMILLES.values()]
    longest = longest_ns(bucket[np.searchsorted(up_to, ranks)])
    return dict(zip(PERMILLES, (longest / 1e6).tolist(), strict=True))


def _times(tallies: Mapping[str, Tally], since_ns: int) -> Row:
    """From the first beginning to the last end, and of what was sent the longest gap."""
    sent = [tally for ended, tally in tallies.items() if ended != HANDED]
    found: Row = {
        "from_ns": min(tally.begun_ns for tally in tallies.values()),
        "until_ns": max(_last(tally.slots) for tally in tallies.values()),
    }
    if sent:
        begun_ns = min(since_ns, *(tally.begun_ns for tally in sent))
        until_ns = max(_last(tally.slots) for tally in sent)
        acked = tallies[ACKED].slots if ACKED in tallies else []
        found["longest_gap_ms"] = _longest_gap(acked, begun_ns, until_ns) / 1e6
    return found


def _last(slots: Sequence[Ints]) -> int:
    return max(int(each[2].max()) for each in slots)


def _longest_gap(slots: Iterable[Ints], begun_ns: int, until_ns: int) -> int:
    """The longest time without an acknowledgement; 0 for what is shorter than a slot."""
    found = sorted((int(least), int(most)) for each in slots for _, least, most, _ in each.T)
    longest, came_to = 0, begun_ns
    for least, most in [*found, (until_ns, until_ns)]:
        longest = max(longest, least - came_to)
        came_to = max(came_to, most)
    return longest if longest >= SLOT_NS else 0
