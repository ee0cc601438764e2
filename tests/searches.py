"""The part of docs/results.md about searches: how soon what was found, and where nothing was."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import CensoredData, ecdf

from highwater.harness.versions.numbers import release_of

Row = Mapping[str, Any]
FEW = 3  # searches without a median

INTRODUCTION = """## What searches find by themselves

`make bench-explore KAFKAS="2.8.0 3.9.1-zk"` plays each strategy with ten seeds, each until its
first finding, or until its seconds are spent, 120 by default and {least} to {most} of those that
stand here, which had one to ten seeds; a search that found nothing is *censored*: it says that it
takes longer. The median is that of Kaplan and Meier, with an interval of 95 %; `>` means that fewer
than half of the searches found anything in their time. Starts of clusters are not counted. Other
work went on beside most of these searches, on two cores: their seconds are what it takes at most,
and schedules a minute what there are at least. Each search is in `results/searches.json`, with its
seconds; of {told} of the {found} that found something the story is there too.

![Each search, by release and strategy](searches.svg)

| Kafka | strategy | found | median seconds | median schedules | a minute | what |
| --- | --- | --- | --- | --- | --- | --- |
"""


def median(values: Sequence[float], censored: Sequence[bool]) -> tuple[float, float, float]:
    """Of the time to a finding, and its interval of 95 %; infinite where it is not reached."""
    told = np.asarray(values, float)
    gone = np.asarray(censored)
    survival = ecdf(CensoredData(uncensored=told[~gone], right=told[gone])).sf
    with warnings.catch_warnings():  # at the last of them it has no interval
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = survival.confidence_interval(method="log-log")

    def crossing(curve: Any) -> float:
        below = np.flatnonzero(np.nan_to_num(curve.probabilities, nan=1.0) <= 0.5)
        return float(curve.quantiles[below[0]]) if len(below) else float("inf")

    return crossing(survival), crossing(interval.low), crossing(interval.high)


def groups_of(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """By release and strategy, older releases first; one whose brokers die as well is another."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: release_of(row["kafka"])):
        rough = "" if row.get("moves", "gentle") == "gentle" else f", {row['moves']}"
        groups.setdefault((row["kafka"], row["strategy"] + rough), []).append(row)
    return groups


def section(rows: Sequence[Row]) -> str:
    groups = groups_of(rows)
    lines = [_line(*key, mine) for key, mine in groups.items()]
    found = [row for row in rows if row["claims"]]
    told = [row for row in found if row.get("story")]
    budgets = [round(row["budget_s"]) for row in rows]
    introduction = INTRODUCTION.format(
        told=len(told), found=len(found), least=min(budgets), most=max(budgets)
    )
    parts = ["\n".join(lines), *_side_by_side(groups), _silence(groups)]
    return introduction + "\n".join(parts) + "\n"


def _line(kafka: str, strategy: str, rows: Sequence[Row]) -> str:
    found = [row for row in rows if row["claims"]]
    claims = sorted({claim for row in found for claim in row["claims"]})
    cells = [kafka, strategy, f"{len(found)} of {len(rows)}"]
    censored = [not row["claims"] for row in rows]
    cells += [
        _told(median([row[name] for row in rows], censored), rows, name)
        for name in ("seconds", "schedules")
    ]
    cells.append(f"{60 * sum(row['schedules'] for row in rows) / _seconds(rows):.0f}")
    return f"| {' | '.join([*cells, ', '.join(claims) or 'nothing'])} |"


def _seconds(rows: Sequence[Row]) -> float:
    return float(sum(row["seconds"] for row in rows))


def _side_by_side(groups: Mapping[tuple[str, str], Sequence[Row]]) -> Iterator[str]:
    """How much longer a nemesis takes, where both have been played and the guided search finds."""
    told: dict[str, tuple[float, str]] = {}
    for kafka, strategy in groups:
        nemesis = groups.get((kafka, strategy.replace("guided", "nemesis", 1)), ())
        quick = _median_s(groups[kafka, strategy])
        many = min(len(nemesis), len(groups[kafka, strategy])) >= FEW
        if strategy.startswith("guided") and many and quick < float("inf"):
            slow = _median_s(nemesis)
            is_known = slow < float("inf")
            least = slow if is_known else max(row["seconds"] for row in nemesis)
            times = least / quick
            rough = strategy.removeprefix("guided")
            told[kafka + rough] = times, f"{kafka}{rough} {'' if is_known else '> '}{times:.1f}"
    if told:
        middle = statistics.median(times for times, _ in told.values())
        yield (
            "\nHow many times as long as the guided search a nemesis takes in the median: "
            f"{', '.join(text for _, text in told.values())}; in the median over these at least "
            f"{middle:.1f}."
        )


def _median_s(rows: Sequence[Row]) -> float:
    censored = [not row["claims"] for row in rows]
    return median([row["seconds"] for row in rows], censored)[0]


def _told(figures: tuple[float, float, float], rows: Sequence[Row], name: str) -> str:
    middle, low, high = figures
    if middle == float("inf"):
        return f"> {max(row[name] for row in rows):.0f}"
    upper = "?" if high == float("inf") else f"{high:.0f}"
    return f"{middle:.0f} ({'?' if low == float('inf') else f'{low:.0f}'} to {upper})"


def _silence(groups: Mapping[tuple[str, str], Sequence[Row]]) -> str:
    """What finding nothing says: an upper bound, by the rule of three."""
    told = []
    for (kafka, strategy), rows in groups.items():
        if not any(row["claims"] for row in rows):
            played = sum(row["schedules"] for row in rows)
            odd = sum(row["unsettled"] for row in rows)
            bound = f"{300 / (played - odd):.2f} %" if played > odd else "any part"
            told.append(
                f"- {kafka}, {strategy}: nothing in {played:,} schedules ({odd} did not settle): "
                f"with 95 % confidence fewer than {bound} of such schedules lose anything there."
            )
    return "\n".join(["", *told]) if told else ""
