"""Replicas through time, for one slider: log ends, high watermarks, ISR and epochs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from highwater.reports.axis import TimeAxis
from highwater.reports.grid import Grid
from highwater.reports.samples import Sample, thinned
from highwater.reports.story import Sentence
from highwater.reports.wording import shortened

MOST_CHANGES = 60  # of a replica
MOST_OFFSETS = 24
LONGEST_CAPTION = 260


@dataclass(frozen=True, slots=True)
class Replica:
    """As it was at the last moment of the slider: what stands there without scripts."""

    broker: int
    log_end_offset: int | None
    high_watermark: int | None

    def square(self, offset: int) -> str:
        """The CSS class of an offset: known to be committed, in the log, or not in it."""
        if self.log_end_offset is None:
            return "silent"
        if offset >= self.log_end_offset:
            return "beyond"
        return "known" if offset < (self.high_watermark or 0) else "held"


@dataclass(frozen=True, slots=True)
class Scrub:
    """`data` is what the script reads: what is shown at each moment, and the sentences."""

    title: str
    offsets: Sequence[int]
    breaks: frozenset[int]
    replicas: Sequence[Replica]
    leader: str
    data: str
    steps: int


def scrub(
    looks: Sequence[Sample], shown: Grid | None, told: Sequence[Sentence], axis: TimeAxis
) -> Scrub | None:
    """None where there is nothing to move through: no looks, or no offsets that matter."""
    if shown is None or not shown.offsets or not looks:
        return None
    kept = thinned(looks, MOST_CHANGES)
    brokers = sorted({look.broker for look in kept})
    times = sorted({*(look.at_ns for look in kept), *(each.at_ns for each in told)})
    moments = [_moment(at_ns, kept, brokers, axis) for at_ns in times]
    last = {look.broker: look for look in kept}
    return Scrub(
        shown.title,
        shown.offsets[:MOST_OFFSETS],
        shown.breaks,
        [Replica(each, last[each].log_end_offset, last[each].high_watermark) for each in brokers],
        _leader(kept, times[-1]),
        json.dumps(
            {"moments": moments, "told": [_caption(each) for each in told]}, separators=(",", ":")
        ),
        len(moments),
    )


def _moment(
    at_ns: int, looks: Iterable[Sample], brokers: Sequence[int], axis: TimeAxis
) -> list[object]:
    """Time in ms, its place on the axis, ends and marks by broker, and who leads."""
    newest = {look.broker: look for look in looks if look.at_ns <= at_ns}
    offsets = [
        [look.log_end_offset, look.high_watermark] if (look := newest.get(broker)) else [None, None]
        for broker in brokers
    ]
    return [at_ns / 1e6, axis.x(at_ns), offsets, _leader(newest.values(), at_ns)]


def _caption(sentence: Sentence) -> list[object]:
    return [sentence.at_ns / 1e6, shortened(sentence.text, LONGEST_CAPTION)]


def _leader(looks: Iterable[Sample], at_ns: int) -> str:
    """By the newest look that knew it; each look has its own view of the metadata."""
    known = [look for look in looks if look.leader is not None and look.at_ns <= at_ns]
    if not known:
        return "no leader known"
    newest = max(known, key=lambda look: look.at_ns)
    who = "nobody leads" if newest.leader == -1 else f"broker {newest.leader} leads"
    epoch = "" if newest.leader_epoch is None else f", epoch {newest.leader_epoch}"
    isr = "?" if newest.isr is None else newest.isr.replace(",", ", ") or "nobody"
    return f"{who}{epoch}; ISR {isr}"
