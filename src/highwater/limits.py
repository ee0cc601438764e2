"""What a chaos test allows at most of what is measured, and whether its play kept to that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OF_LATENCIES = tuple(
    f"{what}_{which}_ms"
    for what in ("ack", "end_to_end")
    for which in ("p50", "p99", "p999", "max")
)
OF_CLIENTS = (*OF_LATENCIES, "longest_gap_ms")  # columns of measures.parquet
OF_FAULTS = ("first_ack_ms", "silent_ms", "leaderless_ms", "full_isr_ms")  # of recoveries.parquet
OF_GROUPS = ("rebalance_ms",)  # of rebalances.parquet
OF_LAGS = ("lag_records",)  # of lags.parquet
NAMES = (*OF_CLIENTS, *OF_FAULTS, *OF_GROUPS, *OF_LAGS)

# What is shorter cannot be told from nothing: ends of sends are kept by the hundredth of a second,
# and replicas are looked at ten times in one.
LEAST_MS = {
    "longest_gap_ms": 10, "first_ack_ms": 10, "silent_ms": 10,
    "leaderless_ms": 100, "full_isr_ms": 100,
}  # fmt: skip
MOST_MS = 10**12  # 31 years

NOTHING = {
    "ack": "nothing was acknowledged",
    "end": "nobody was handed what somebody sent, but for who reads everything at last",
    "longest": "nobody sent anything",
    "first": "there is no fault after which somebody sent on",
    "silent": "there is no fault after which somebody sent on",
    "leaderless": "there is no fault after which a look could tell who led a partition",
    "rebalance": "no partition of a group lost its owner while the group was to go on",
    "lag": "there is no group that read something while it was to go on",
    "full": "there is no fault after which a look could tell the ISR of a partition",
}

Row = Mapping[str, Any]


@dataclass(slots=True)
class Kept:
    """A sentence for each limit that something lies above, and for each that nobody can judge."""

    exceeded: list[str] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a limit is about; `figure` is None where nobody knows it."""

    whose: str
    figure: float | None
    words: str = "{}"


def kept(
    limits: Mapping[str, float],
    measures: Iterable[Row],
    recoveries: Iterable[Row],
    rebalances: Iterable[Row] = (),
    lags: Iterable[Row] = (),
) -> Kept:
    """Whether these limits were kept to, by rows of the tables; final readers are left out before.

    A limit that is not known to be kept is never taken for one that is.
    """
    whole = [row for row in measures if row["partition"] is None and row["second"] is None]
    partitions = [row for row in recoveries if row["partition"] is not None]
    found = Kept()
    of_groups = [row for row in lags if row["second"] is None]
    for name, most in limits.items():
        if name in OF_CLIENTS:
            seen, table = _of_clients(name, whole), "measures.parquet"
        elif name in OF_GROUPS:
            seen, table = _of_groups(name, rebalances), "rebalances.parquet"
        elif name in OF_LAGS:
            seen, table = _of_lags(name, of_groups), "lags.parquet"
        else:
            seen, table = SEEN[name](partitions, most), "recoveries.parquet"
        _judge(found, name, most, seen, table)
    return found


def _judge(found: Kept, name: str, most: float, seen: Sequence[Seen], table: str) -> None:
    above = [(each.figure, each) for each in seen if each.figure is not None and each.figure > most]
    unknown = [each for each in seen if each.figure is None]
    unit = name.rpartition("_")[2]
    expected = f"expected at most {_shown(most)} {unit}, saw"
    if above:
        figure, worst = max(above, key=lambda one: one[0])
        others = f", and {len(above) - 1} more above it" if len(above) > 1 else ""
        shown = worst.words.format(f"{_shown(figure, beyond=most)} {unit}")
        found.exceeded.append(f"{name} of {worst.whose}: {expected} {shown}{others}; see {table}")
    elif unknown:
        told = f"{name} of {unknown[0].whose}: {expected} {unknown[0].words}; see {table}"
        found.unmeasured.append(told)
    elif not seen:
        found.unmeasured.append(f"{name}: nothing was measured: {NOTHING[name.partition('_')[0]]}")


def _of_clients(name: str, rows: Iterable[Row]) -> list[Seen]:
    """Who sent, and has nothing acknowledged, has no latency: nobody knows that it was short."""
    seen = []
    for row in rows:
        whose = f"{row['client']} on {row['topic']}"
        sent = name.startswith("ack_") and row["failed"] + row["unknown"]
        untold = name.startswith("end_to_end_") and row["handed"]
        if row[name] is not None:
            seen.append(Seen(whose, row[name]))
        elif sent:
            seen.append(Seen(whose, None, f"none of {sent:,} records acknowledged"))
        elif untold:
            seen.append(Seen(whose, None, f"{untold:,} records, and of none when it was sent"))
    return seen


def _of_groups(name: str, rows: Iterable[Row]) -> list[Seen]:
    """Where not all partitions had an owner again nobody knows when they would have had one."""
    seen = []
    for row in rows:
        whose = f"{row['group']} at {row['from_ns'] / 1e9:,.1f} s ({row['client']} {row['how']})"
        seen.append(Seen(whose, row[name], "{}" if row[name] is not None else "none, to the end"))
    return seen


def _of_lags(name: str, rows: Iterable[Row]) -> list[Seen]:
    """Of all partitions together; one of which nobody knows may have been behind by any number."""
    seen = []
    for row in rows:
        whose = f"{row['group']} on {row['topic']}"
        if row["partition"] is None and row[name] is not None:
            seen.append(Seen(whose, row[name]))
        elif row["partition"] is not None and row[name] is None:
            words = "no evidence of what it had committed, or of where the log ended"
            seen.append(Seen(f"{whose}-{row['partition']}", None, words))
    return seen


def _first_acks(rows: Iterable[Row], _most_ms: float) -> list[Seen]:
    """Where none came nobody knows when one would have."""
    seen = []
    for row in rows:
        if row["first_ack_ms"] is not None:
            seen.append(Seen(_after(row), row["first_ack_ms"]))
        elif row["sent_on"]:
            seen.append(Seen(_after(row), None, "none, though somebody sent on"))
    return seen


def _full_isrs(rows: Iterable[Row], _most_ms: float) -> list[Seen]:
    """An ISR that never shrank was full all the time."""
    seen = []
    for row in rows:
        if row["isr_shrank"] and row["full_isr_ms"] is None:
            seen.append(Seen(_after(row), None, "that it shrank, and no look that saw it full"))
        elif row["isr_shrank"] is not None:
            seen.append(Seen(_after(row), row["full_isr_ms"] or 0.0))
    return seen


def _known(name: str) -> Callable[[Iterable[Row], float], list[Seen]]:
    def seen(rows: Iterable[Row], _most_ms: float) -> list[Seen]:
        return [Seen(_after(row), row[name]) for row in rows if row[name] is not None]

    return seen


SEEN: Mapping[str, Callable[[Iterable[Row], float], list[Seen]]] = {
    "first_ack_ms": _first_acks,
    "silent_ms": _known("silent_ms"),
    "leaderless_ms": _known("leaderless_ms"),
    "full_isr_ms": _full_isrs,
}


def _after(row: Row) -> str:
    at_s = row["from_ns"] / 1e9
    return f"{row['topic']}-{row['partition']} after {row['fault']} at {at_s:,.1f} s"


def _shown(ms: float, beyond: float | None = None) -> str:
    """A limit as it was said; what lies above it with as many digits as show that it does."""
    text = f"{ms:,.1f}"
    if beyond is None or float(text.replace(",", "")) <= beyond:
        text = f"{ms:,.6f}".rstrip("0").rstrip(".")
        return text if float(text.replace(",", "")) > (beyond or 0) else f"{ms:g}"
    return text.removesuffix(".0")
