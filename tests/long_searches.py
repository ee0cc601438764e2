"""Hours of `highwater explore`, as their directories tell: what was played, and what came of it.

A directory of `--out` has a log for each of its parts. What is kept of one are sums, what was
found, and the memory of the harness hour by hour; the page tells searches of one kind together.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.kept_cells import KEPT

from highwater.exploration.topologies import PLAIN
from highwater.harness.record.files import write_json
from highwater.harness.versions.numbers import release_of
from highwater.search_log import SEARCH, read_log

NAME = "hours.json"
HOUR_S = 3600.0
INTRODUCTION = """## Hours of searching

Searches with `highwater explore` that were given an hour or more; hours are those of schedules,
without the start of clusters. Memory is that of the harness, the median of an hour. What a search
finds it shrinks and plays again, which is not counted here.

| Kafka | moves | strategy | seeds | hours | schedules | did not settle | found | MiB by the hour |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

Row = Mapping[str, Any]


def keep(outs: Sequence[Path], kept: Path = KEPT / NAME) -> None:
    """What these directories tell, in the place of what is kept of the same parts of a search.

    Raises ValueError for a directory that is none of a search.
    """
    rows = [row for out in outs for row in rows_of(out)]
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    mine = {_key(row) for row in rows}
    write_json(kept, sorted([*(row for row in before if _key(row) not in mine), *rows], key=_key))


def rows_of(out: Path) -> Iterator[Row]:
    """One for each part that has played something."""
    if not (out / SEARCH).exists():
        raise ValueError(f"expected the --out of a search, saw no {SEARCH} in {out}")
    asked = json.loads((out / SEARCH).read_text(encoding="utf-8"))
    for log in sorted(out.glob("rounds*.jsonl")):
        told = [each for _, each in read_log(log)]
        if told:
            claims = Counter(claim for each in told for claim in each.finding.claims)
            found = sum(each.finding.found for each in told)
            yield {
                **asked,
                "topology": asked.get("topology", PLAIN),
                "part": log.stem.removeprefix("rounds").lstrip("-") or "1of1",
                "schedules": len(told),
                "seconds": round(sum(each.seconds for each in told), 1),
                "unsettled": sum(
                    not each.finding.is_settled and not each.finding.found for each in told
                ),
                "found": found,
                "claims": dict(sorted(claims.items())),
                "mib": by_the_hour(log),
            }


def by_the_hour(log: Path) -> list[float]:
    """The median of what was resident, in each hour of schedules that is at least half there."""
    hours: dict[int, list[tuple[float, float]]] = {}
    spent_s, rows = 0.0, list[Mapping[str, Any]]()
    for line in log.read_text(encoding="utf-8").splitlines():
        with suppress(json.JSONDecodeError):  # a line that was cut short
            rows.append(json.loads(line))
    for row in rows:
        hours.setdefault(int(spent_s // HOUR_S), []).append(
            (row["seconds"], row.get("resident_mib", 0.0))
        )
        spent_s += row["seconds"]
    whole = (each for each in hours.values() if sum(took for took, _ in each) >= HOUR_S / 2)
    return [round(statistics.median(mib for _, mib in each), 1) for each in whole]


def section(rows: Sequence[Row]) -> str:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: (release_of(row["kafka"]), _key(row))):
        groups.setdefault((row["kafka"], _moves(row), row["strategy"]), []).append(row)
    lines = [_line(*key, mine) for key, mine in groups.items()]
    return INTRODUCTION + "\n".join([*lines, "", *_sums(rows)]) + "\n"


def _moves(row: Row) -> str:
    return row["moves"] if row["topology"] == PLAIN else f"{row['moves']}, {row['topology']}"


def _line(kafka: str, moves: str, strategy: str, rows: Sequence[Row]) -> str:
    seeds = sorted({row["seed"] for row in rows})
    claims: Counter[str] = Counter()
    for row in rows:
        claims.update(row["claims"])
    memory = "; ".join(", ".join(f"{mib:.0f}" for mib in row["mib"]) for row in rows if row["mib"])
    cells = [
        kafka, moves, strategy, ", ".join(map(str, seeds)), f"{_hours(rows):.1f}",
        f"{_sum(rows, 'schedules'):,}", str(_sum(rows, "unsettled")),
        ", ".join(f"{claim} {times}" for claim, times in sorted(claims.items())) or "nothing",
        memory or "-",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _sums(rows: Sequence[Row]) -> Iterator[str]:
    for kafka in sorted({row["kafka"] for row in rows}, key=release_of):
        mine = [row for row in rows if row["kafka"] == kafka]
        schedules, silent = _sum(mine, "schedules"), [row for row in mine if not row["found"]]
        quiet = _sum(silent, "schedules") - _sum(silent, "unsettled")  # of the others nobody knows
        yield f"- {kafka}: {_hours(mine):.1f} hours in all, {schedules:,} schedules."
        if quiet:
            yield (
                f"  Where nothing was found, {quiet:,} of these settled: with 95 % confidence "
                f"fewer than {300 / quiet:.2f} % of such schedules lose anything there."
            )


def _hours(rows: Sequence[Row]) -> float:
    return float(_sum(rows, "seconds")) / HOUR_S


def _sum(rows: Sequence[Row], name: str) -> Any:
    return sum(row[name] for row in rows)


def _key(row: Row) -> tuple[str, ...]:
    return tuple(
        str(row[each]) for each in ("kafka", "moves", "topology", "strategy", "seed", "part")
    )
