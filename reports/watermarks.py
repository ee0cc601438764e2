"""Log end offset and high watermark of every replica over time, a small chart per broker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highwater.reports.axis import Tick, TimeAxis
from highwater.reports.contents import RunContents
from highwater.reports.lanes import Bar, labelled
from highwater.reports.samples import Period, Sample, changes, leader_periods, thinned

PANEL_HEIGHT = 62
PANEL_GAP = 22
TOP = 26
MOST_ROWS = 150
MOST_CHANGES = 300  # drawn per broker
MOST_DETAILED = 40  # changes of a replica up to which each one gets a dot and its offset
DIGIT = 7
LABEL_GAP = 3


@dataclass(frozen=True, slots=True)
class Text:
    x: float
    y: float
    words: str
    kind: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One replica: a solid line, a dashed one, and the shade between them (not known committed)."""

    broker: int
    y: float
    log_end_path: str
    watermark_path: str
    gaps: Sequence[tuple[float, float, float, float]]  # x, y, width, height
    points: Sequence[tuple[float, float]]  # where a look saw something new
    texts: Sequence[Text]


@dataclass(frozen=True, slots=True)
class Chart:
    """All replicas of one partition."""

    title: str
    panels: Sequence[Panel]
    periods: Sequence[Bar]  # leadership, over the whole height
    ticks: Sequence[Tick]
    height: float
    low: int
    high: int
    rows: Sequence[Sample]
    rows_left_out: int
    changes_left_out: int  # in the drawing
    led: Sequence[Period]


@dataclass(frozen=True, slots=True)
class Scale:
    """Offsets to heights, the same in every panel."""

    low: int
    high: int

    def y(self, top: float, offset: int) -> float:
        span = max(1, self.high - self.low)
        return round(top + PANEL_HEIGHT * (1 - (offset - self.low) / span), 1)


def chart(contents: RunContents, axis: TimeAxis, where: tuple[str, int]) -> Chart | None:
    """None where nobody looked at that partition, or no replica answered."""
    looks = changes(contents, where)
    samples = thinned(looks, MOST_CHANGES)
    offsets = [
        offset
        for sample in samples
        for offset in (sample.log_end_offset, sample.high_watermark)
        if offset is not None and offset >= 0
    ]
    if not offsets:
        return None
    scale = Scale(min(offsets) if min(offsets) > max(offsets) / 2 else 0, max(offsets))
    panels = [
        _panel(broker, TOP + number * (PANEL_HEIGHT + PANEL_GAP), samples, axis, scale)
        for number, broker in enumerate(sorted({sample.broker for sample in samples}))
    ]
    periods = leader_periods(contents, looks)
    return Chart(
        f"{where[0]}-{where[1]}",
        panels,
        labelled([_period_bar(period, axis) for period in periods if period.leader >= 0]),
        axis.ticks(),
        TOP + len(panels) * (PANEL_HEIGHT + PANEL_GAP),
        scale.low,
        scale.high,
        looks[:MOST_ROWS],
        max(0, len(looks) - MOST_ROWS),
        len(looks) - len(samples),
        periods,
    )


def _period_bar(period: Period, axis: TimeAxis) -> Bar:
    x = axis.x(period.start_ns)
    epoch = "" if period.epoch is None else f" e{period.epoch}"
    width = round(axis.x(period.end_ns) - x, 1)
    return Bar(
        x, width, "period", f"{period.leader} leads{epoch}", f"leader {period.leader}{epoch}"
    )


def _panel(
    broker: int, top: float, samples: Sequence[Sample], axis: TimeAxis, scale: Scale
) -> Panel:
    own = [sample for sample in samples if sample.broker == broker]
    ends = [(sample, sample.log_end_offset) for sample in own]
    marks = [(sample, sample.high_watermark) for sample in own]
    points = [
        (axis.x(sample.at_ns), scale.y(top, offset))
        for sample, offset in ends
        if offset is not None and offset >= 0 and len(ends) <= MOST_DETAILED
    ]
    return Panel(
        broker,
        top,
        _path(ends, top, axis, scale),
        _path(marks, top, axis, scale),
        _gaps(own, top, axis, scale),
        points,
        _change_labels(ends, top, axis, scale) + _end_labels(own, top, axis, scale),
    )


def _path(
    values: Sequence[tuple[Sample, int | None]], top: float, axis: TimeAxis, scale: Scale
) -> str:
    """Steps from look to look; where the broker did not answer, there is no line."""
    pieces: list[str] = []
    drawing = False
    for sample, offset in values:
        x = axis.x(sample.at_ns)
        if offset is None or offset < 0:
            drawing = False
            continue
        y = scale.y(top, offset)
        pieces.append(f"H{x}V{y}" if drawing else f"M{x} {y}")
        pieces.append(f"H{axis.x(sample.until_ns)}")
        drawing = True
    return "".join(pieces)


def _gaps(
    own: Sequence[Sample], top: float, axis: TimeAxis, scale: Scale
) -> list[tuple[float, float, float, float]]:
    """Records that the replica has and does not know to be committed."""
    boxes = []
    for number, sample in enumerate(own):
        end, mark = sample.log_end_offset, sample.high_watermark
        if end is None or mark is None or end <= mark or mark < 0:
            continue
        following = own[number + 1 : number + 2]
        answered = following and following[0].log_end_offset is not None
        until_ns = following[0].at_ns if answered else sample.until_ns
        x = axis.x(sample.at_ns)
        y, bottom = scale.y(top, end), scale.y(top, mark)
        boxes.append((x, y, round(axis.x(until_ns) - x, 1), round(bottom - y, 1)))
    return boxes


def _change_labels(
    values: Sequence[tuple[Sample, int | None]], top: float, axis: TimeAxis, scale: Scale
) -> list[Text]:
    """The log end offset where it changed and there is room; of a long rise only its start."""
    texts: list[Text] = []
    said: int | None = None
    free_from = 0.0
    for sample, offset in values:
        if offset is None or offset < 0:
            continue
        x = axis.x(sample.at_ns)
        telling = len(values) <= MOST_DETAILED or said is None or offset < said
        if telling and offset != said and x >= free_from:
            texts.append(Text(x, round(scale.y(top, offset) - 4, 1), str(offset), "leo"))
            free_from = x + LABEL_GAP + DIGIT * len(str(offset))
        said = offset
    return texts


def _end_labels(own: Sequence[Sample], top: float, axis: TimeAxis, scale: Scale) -> list[Text]:
    last = own[-1]
    end, mark = last.log_end_offset, last.high_watermark
    x = axis.x(last.until_ns) + 6
    if end is None or end < 0:
        return [Text(x, top + PANEL_HEIGHT / 2 + 4, "no answer", "quiet")]
    if mark is None or end == mark:
        words = f"LEO {end}" if mark is None else f"LEO = HW {end}"
        return [Text(x, scale.y(top, end) + 4, words, "leo")]
    end_y, mark_y = scale.y(top, end) + 4, scale.y(top, mark) + 4
    mark_y = max(mark_y, end_y + 12)
    return [Text(x, end_y, f"LEO {end}", "leo"), Text(x, mark_y, f"HW {mark}", "hw")]
