"""What docs/results.md tells of the matrix of acks: a table, and a picture of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

Row = Mapping[str, Any]  # of a cell in one round
Column = tuple[str, int]  # the producer, and min.insync.replicas
INTRODUCTION = """## What acks promises, and what comes of it

`{command}`, last on {played_on}: for each fault one play, with a producer of 200 records a second
for each column. All of their partitions are led by the broker that is hit; its followers are 10 ms
away, and leave the ISR after three seconds. *Lost* is what was acknowledged, or called sent with
acks=0, and is not there at the end; *twice* and *out of order* are of what a reader is handed.
Below them the records acknowledged a second, and the median and the 99th percentile of the time
from when a record was due to its acknowledgement, and the longest time without any. Other work went
on beside these plays: compare what was lost, and less the times.

![Lost of what was acknowledged](results/acks.svg)
"""
CELL, LEFT, TOP = (84, 30), 250, 70
SHADES = ((0, "#e4f0e2"), (1, "#fbe3c0"), (50, "#f2b27c"), (400, "#d9694f"))  # from so many on


def section(kept: Mapping[str, Any]) -> str:
    parts = [INTRODUCTION.format(**kept)]
    for kafka, faults in kept["kafkas"].items():
        columns = _columns(faults)
        heads = [f"acks={producer}, min {least}" for producer, least in columns]
        parts += [f"\n### Kafka {kafka}\n", f"| fault | {' | '.join(heads)} |"]
        parts += ["|---" * (len(columns) + 1) + "|"]
        for fault, rows in faults.items():
            cells = [_told(_of(rows, column)) for column in columns]
            parts.append(f"| {fault} | {' | '.join(cells)} |")
    return "\n".join(parts) + "\n"


def _columns(faults: Mapping[str, Sequence[Row]]) -> list[Column]:
    return list(
        dict.fromkeys((row["producer"], row["min_isr"]) for rows in faults.values() for row in rows)
    )


def _of(rows: Sequence[Row], column: Column) -> list[Row]:
    return [row for row in rows if (row["producer"], row["min_isr"]) == column]


def _told(rows: Sequence[Row]) -> str:
    """Each round's losses; the times are those of the last one."""
    last = rows[-1]
    lost = ", ".join(str(row["lost"]) for row in rows)
    of = f"{lost} lost of {last['acked']:,}"
    more = [
        f"{sum(row[name] for row in rows)} {words}"
        for name, words in (("duplicated", "twice"), ("reordered", "out of order"))
        if any(row[name] for row in rows)
    ]
    more += ["and its producer gave up"] if any(row.get("gave_up") for row in rows) else []
    times = f"{last['acked_per_s']:.0f}/s; {last['p50_ms']:,.0f} / {last['p99_ms']:,.0f} ms; "
    return "<br>".join([", ".join([of, *more]), f"{times}{last['longest_gap_s']:.1f} s"])


def picture(kept: Mapping[str, Any]) -> str:
    """A heat map for each Kafka, one below the other: how many records were lost."""
    drawn: list[str] = []
    height = 0
    for kafka, faults in kept["kafkas"].items():
        columns = _columns(faults)
        drawn += _map(f"Kafka {kafka}", faults, columns, height)
        height += TOP + (len(faults) + 1) * CELL[1]
    width = LEFT + 8 * CELL[0] + 10
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    title = "<title>Records lost of those that were acknowledged, by fault and acks</title>"
    style = "<style>text{font:12px sans-serif;fill:#222}.head{font-weight:bold}</style>"
    ground = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([head, title, style, ground, *drawn, "</svg>"]) + "\n"


def _map(
    title: str, faults: Mapping[str, Sequence[Row]], columns: Sequence[Column], top: int
) -> Iterator[str]:
    wide, high = CELL
    yield f'<text class="head" x="10" y="{top + 24}">{escape(title)}</text>'
    for place, (producer, least) in enumerate(columns):
        x = LEFT + place * wide + wide // 2
        for line, words in enumerate((f"acks={producer.split(',')[0]}", _kind(producer, least))):
            y = top + 42 + 16 * line
            yield f'<text x="{x}" y="{y}" text-anchor="middle">{escape(words)}</text>'
    for line, (fault, rows) in enumerate(faults.items()):
        y = top + TOP + line * high
        yield f'<text x="10" y="{y + 20}">{escape(fault)}</text>'
        for place, column in enumerate(columns):
            lost = sum(row["lost"] for row in _of(rows, column))
            shade = [colour for least, colour in SHADES if lost >= least][-1]
            x = LEFT + place * wide
            box = f'x="{x}" y="{y}" width="{wide - 2}" height="{high - 2}" fill="{shade}"'
            yield f"<rect {box}/>"
            at = f'x="{x + wide // 2}" y="{y + 20}" text-anchor="middle"'
            yield f"<text {at}>{lost}</text>"


def _kind(producer: str, least: int) -> str:
    return f"min {least}{', idem.' if 'idempotent' in producer else ''}"
