"""What docs/results.md tells of failovers: a table, the line through it, and a curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from highwater.reports.wording import counted

INTRODUCTION = """## How long a dead broker's partitions have no leader

`{command}`, last on {played_on}: a broker of three is killed that leads all partitions, of three
replicas each. Its session is that of the harness's brokers, 6 s with ZooKeeper and 3 s with KRaft.
The seconds of *missed*, *written*, *last* and *known* begin where the ones before end. Those of
*leader*, *turned* and *acked* are since the kill: until everybody knew of no partition without a
leader; until the last follower had been turned to its new leader; until each partition had
acknowledged a record that waits for its follower (one request to each leader, sent when everybody
knows, has one for each partition). A *client* of one partition waited so long between two
acknowledgements.

An article gives a failover six steps. Its first, an orderly shutdown, a kill has not: *shut down*
is how long another broker took for it that was told to stop afterwards, with how many partitions
it led. Its second is *missed*; its third are *written* and *last*; its fourth is *known*. The fifth
is that leaders have their followers, the sixth that these have cut their logs and fetch. It is the
other way round: a follower is *turned*, then it cuts (0.10.2 does that first; from 2.7 on it hears
by fetching whether there is anything to cut) and fetches; when all have done so is *acked*.

![Seconds without a leader](results/failover.svg)

{head}
|---|---|---|---|---|---|---|---|---|---|---|
"""
HEAD = (
    "| Kafka | partitions | missed | written | last | known | leader | turned | acked | client "
    "| shut down |"
)
ARTICLE_MS, ARTICLE_PARTITIONS = 4, 10_000
MISSED, MEMORY = " \\*", " †"
REMARKS = {
    MISSED: "\\* The controller took a broker that lived for dead as well, for a while.",
    MEMORY: "† Files lay in memory: a KRaft broker makes its replicas one after the other, each "
    "with several writes that wait for the disk, and 10,000 of them would take it many minutes "
    "(`TMPDIR=/dev/shm python -m tests.bench.failover 4.4.0`). Other rows are of a disk, which is "
    "part of what they differ by: to shut down with 500 partitions took 0.7 s in memory and 5.3 s "
    "on a disk with 3.9.1-zk, and 1.0 s and 5.5 s with 4.4.0.",
}
APART = 0.25  # of what was measured: farther from it a line says nothing
LEAST = 2  # through one point there is no line
DRAWN = (10, 100, 1_000, 10_000)  # partitions
WIDE, HIGH, LEFT, BOTTOM = 640, 320, 60, 270
COLOURS = ("#1f5fa8", "#c0582a", "#3f7f3f", "#7a4f9a")


def section(kept: Mapping[str, Any]) -> str:
    lines, fitted = [], []
    for kafka, measured in kept["kafkas"].items():
        sizes = _by_size(measured)
        lines += [_line(kafka, int(size), one) for size, one in sizes.items()]
        fitted.append(_fitted(kafka, sizes))
    every = [one for sizes in kept["kafkas"].values() for one in sizes.values()]
    remarks = [told for mark, told in REMARKS.items() if any(mark in _marks(one) for one in every)]
    remarks = [line for told in remarks for line in ("", told)]
    return (
        INTRODUCTION.format(head=HEAD, **kept) + "\n".join([*lines, *remarks, "", *fitted]) + "\n"
    )


def _by_size(measured: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was measured again, or later than others, is kept behind them."""
    return {size: measured[size] for size in sorted(measured, key=int)}


def _marks(one: Mapping[str, Any]) -> str:
    of_memory = MEMORY if one.get("files_on") == "tmpfs" else ""
    return (MISSED if one.get("survivors_missed") else "") + of_memory


def _line(kafka: str, partitions: int, one: Mapping[str, Any]) -> str:
    steps = [f"{each:.2f} s" for each in one["steps_s"].values()]
    *taken, turned = steps
    cells = [kafka, f"{partitions:,}{_marks(one)}", *taken, f"{one['leaderless_s']:.2f} s", turned]
    cells += [f"{one[name]:.2f} s" for name in ("acknowledged_s", "client_gap_s")]
    cells += [f"{one['shutdown_s']:.2f} s, {one['shut_down_led']:,}"]
    return f"| {' | '.join(cells)} |"


def _fitted(kafka: str, sizes: Mapping[str, Any]) -> str:
    """The article's reckoning with what was measured in place of its 4 ms."""
    if len(sizes) < LEAST:
        return (
            f"- {kafka}: measured {counted(len(sizes), 'time')}, and nothing is reckoned of more."
        )
    slope_s, base_s = line_through(_points(sizes))
    for led, seconds in _points(sizes):
        told_s = base_s + slope_s * (led - _points(sizes)[0][0])
        if abs(told_s - seconds) > APART * seconds:
            return (
                f"- {kafka}: no line goes through these, and nothing is reckoned of more: where "
                f"the dead broker led {led:,}, nobody led for {seconds:.1f} s, and a line says "
                f"{told_s:.1f} s."
            )
    writes = [
        (one["led_by_it"], one["steps_s"]["until the last is written"]) for one in sizes.values()
    ]
    each_ms = 1e3 * line_through(writes)[0]
    return (
        f"- {kafka}: without a leader for {base_s:.1f} s and {1e3 * slope_s:.2f} ms more for each "
        f"partition that the dead broker led; writes were {max(0.0, each_ms):.2f} ms apart; "
        f"so {ARTICLE_PARTITIONS:,} of them would have none for "
        f"{base_s + slope_s * ARTICLE_PARTITIONS:.0f} s. The article reckons with {ARTICLE_MS} ms "
        f"and {ARTICLE_MS * ARTICLE_PARTITIONS // 1000} s for the writes alone."
    )


def _points(sizes: Mapping[str, Any]) -> list[tuple[int, float]]:
    return [(one["led_by_it"], one["leaderless_s"]) for one in sizes.values()]


def line_through(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Its slope, and its first point's height, from where it is laid by least squares."""
    led, seconds = np.array(points, float).T
    away, more = led - led[0], seconds - seconds[0]
    return float(away @ more / (away @ away)) if len(points) > 1 else 0.0, float(seconds[0])


def picture(kept: Mapping[str, Any]) -> str:
    """Seconds by partitions led by the dead broker, both in logarithms; the article's line."""
    drawn = [*_axes()]
    for place, (kafka, measured) in enumerate(kept["kafkas"].items()):
        points = _points(_by_size(measured))
        drawn += _curve(f"Kafka {kafka}", points, COLOURS[place % len(COLOURS)], place)
    reckoned = [(each, ARTICLE_MS * each / 1e3) for each in DRAWN]
    drawn += _curve("the article: 4 ms each", reckoned, "#888", len(kept["kafkas"]), "5 4")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img">'
    title = "<title>Seconds without a leader, by partitions that the dead broker led</title>"
    style = "<style>text{font:12px sans-serif;fill:#222}</style>"
    ground = f'<rect width="{WIDE}" height="{HIGH}" fill="#fff"/>'
    return "\n".join([head, title, style, ground, *drawn, "</svg>"]) + "\n"


def _at(partitions: float, seconds: float) -> tuple[float, float]:
    x = LEFT + (math.log10(partitions) - 0.8) / 3.3 * (WIDE - LEFT - 190)
    y = BOTTOM - (math.log10(max(seconds, 0.01)) + 2) / 4 * (BOTTOM - 20)
    return round(x, 1), round(y, 1)


def _axes() -> Iterator[str]:
    right = WIDE - 190
    for seconds in (0.01, 0.1, 1, 10, 100):
        _, y = _at(DRAWN[0], seconds)
        yield f'<line x1="{LEFT}" x2="{right}" y1="{y}" y2="{y}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{seconds:g} s</text>'
    for partitions in DRAWN:
        x, _ = _at(partitions, 1)
        yield f'<text x="{x}" y="{BOTTOM + 20}" text-anchor="middle">{partitions:,}</text>'
    yield f'<text x="{LEFT}" y="{BOTTOM + 40}">partitions that the dead broker led</text>'


def _curve(
    name: str, points: Sequence[tuple[float, float]], colour: str, place: int, dashes: str = ""
) -> Iterator[str]:
    at = [_at(*point) for point in points]
    told = " ".join(f"{x},{y}" for x, y in at)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    yield f'<polyline points="{told}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'
    if not dashes:
        yield from (f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in at)
    where = f'x="{WIDE - 180}" y="{40 + 20 * place}" style="fill:{colour}"'
    yield f"<text {where}>{escape(name)}</text>"
