"""What clients achieved, by the second: rates, latencies, and how long nothing was acknowledged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from hdrh.histogram import HdrHistogram

from highwater.checkers.rows import Ints
from highwater.checkers.tallies import (
    ACKED,
    ENDED,
    HANDED,
    LONGEST_US,
    UNTOLD,
    Series,
    Tallies,
    Tally,
    longest_us,
)
from highwater.harness.tables import MEASURES

SIGNIFICANT_DIGITS = 3  # more than the buckets have
PERCENTILES = {"p50": 50.0, "p99": 99.0, "p999": 99.9, "max": 100.0}
LATENCIES = {ACKED: "ack", HANDED: "end_to_end"}

Level = tuple[str, str, int | None]  # client, topic, and partition; None: all of them
Row = dict[str, Any]


def measures_of(tallies: Tallies) -> pa.Table:
    """A row for each client and partition in each second, and in all; see docs/ledger.md."""
    histogram = HdrHistogram(1, LONGEST_US, SIGNIFICANT_DIGITS)
    levels: dict[Level, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for series, tally in sorted(tallies.of.items()):
        for level in _levels(series):
            levels[level][series.ended].take_in(tally)
    rows = [
        row
        for level, tally_of in sorted(levels.items(), key=lambda item: _in_order(item[0]))
        for row in _rows(level, tally_of, histogram)
    ]
    return pa.Table.from_pylist(rows, schema=MEASURES)


def _levels(series: Series) -> Iterator[Level]:
    topic, partition = series.place
    yield series.client, topic, None
    yield series.client, topic, partition


def _in_order(level: Level) -> tuple[str, str, int]:
    client, topic, partition = level
    return client, topic, -1 if partition is None else partition


def _rows(level: Level, tallies: Mapping[str, Tally], histogram: HdrHistogram) -> Iterator[Row]:
    """Of the whole run first, and then of its seconds."""
    named = dict(zip(("client", "topic", "partition"), level, strict=True))
    counts = {ended: np.concatenate(tally.counts, axis=1) for ended, tally in tallies.items()}
    yield {**named, **_figures(counts, histogram), **_times(tallies)}
    ordered = {ended: each[:, np.argsort(each[0])] for ended, each in counts.items()}
    seconds = np.unique(np.concatenate([each[0] for each in counts.values()]))
    for second in seconds.tolist():
        own = {ended: _within(each, second) for ended, each in ordered.items()}
        yield {**named, "second": second, **_figures(own, histogram)}


def _within(counts: Ints, second: int) -> Ints:
    first, end = np.searchsorted(counts[0], (second, second + 1))
    return counts[:, first:end]


def _figures(counts: Mapping[str, Ints], histogram: HdrHistogram) -> Row:
    found: Row = {ended: int(counts[ended][2].sum()) if ended in counts else 0 for ended in ENDED}
    for ended, name in LATENCIES.items():
        if ended in counts:
            told = _percentiles(counts[ended], histogram)
            found |= {f"{name}_{which}_ms": each for which, each in told.items()}
    return found


def _percentiles(counts: Ints, histogram: HdrHistogram) -> dict[str, float]:
    """In milliseconds; nothing where no latency is known."""
    known = counts[:, counts[1] != UNTOLD]
    if not known.size:
        return {}
    histogram.reset()
    for bucket, count in known[1:].T.tolist():
        histogram.record_value(max(1, min(longest_us(bucket), LONGEST_US)), count)
    found = histogram.get_percentile_to_value_dict(list(PERCENTILES.values()))
    return {name: found[each] / 1000 for name, each in PERCENTILES.items()}


def _times(tallies: Mapping[str, Tally]) -> Row:
    """From the first beginning to the last end, and of what was sent the longest gap."""
    sent = [tally for ended, tally in tallies.items() if ended != HANDED]
    found: Row = {
        "from_ns": min(tally.begun_ns for tally in tallies.values()),
        "until_ns": max(_last(tally.slots) for tally in tallies.values()),
    }
    if sent:
        begun_ns = min(tally.begun_ns for tally in sent)
        until_ns = max(_last(tally.slots) for tally in sent)
        acked = tallies[ACKED].slots if ACKED in tallies else []
        found["longest_gap_ms"] = _longest_gap(acked, begun_ns, until_ns) / 1e6
    return found


def _last(slots: Sequence[Ints]) -> int:
    return max(int(each[2].max()) for each in slots)


def _longest_gap(slots: Iterable[Ints], begun_ns: int, until_ns: int) -> int:
    """The longest time without an acknowledgement; what is shorter than a slot is not seen."""
    found = [(int(least), int(most)) for each in slots for _, least, most in each.T]
    edges = [(begun_ns, begun_ns), *sorted(found), (until_ns, until_ns)]
    came_to = np.maximum.accumulate([most for _, most in edges[:-1]])
    gaps = np.array([least for least, _ in edges[1:]]) - came_to
    return int(max(0, gaps.max()))
