"""Looks at replicas over time, reduced to changes, and who led when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import pyarrow.compute as pc

from highwater.reports.contents import RunContents

COLUMNS = (
    "at_ns", "broker", "log_end_offset", "high_watermark", "leader", "leader_epoch", "isr",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at one replica; `until_ns` is the last look that saw the same."""

    at_ns: int
    until_ns: int
    broker: int
    log_end_offset: int | None
    high_watermark: int | None
    leader: int | None
    leader_epoch: int | None
    isr: str | None

    @property
    def seen(self) -> tuple[object, ...]:
        return (
            self.log_end_offset, self.high_watermark, self.leader, self.leader_epoch, self.isr,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Period:
    """One leader in one epoch (-1 or None: nobody)."""

    start_ns: int
    end_ns: int
    leader: int
    epoch: int | None


def changes(contents: RunContents, where: tuple[str, int]) -> list[Sample]:
    """Samples of one partition; looks at a broker that repeat the one before are merged."""
    is_here = (pc.field("topic") == where[0]) & (pc.field("partition") == where[1])
    table = contents.tables["replica_states"].filter(is_here)
    columns = [table.column(name).to_pylist() for name in COLUMNS]
    rows = sorted(zip(*columns, strict=True), key=lambda row: row[:2])
    newest: dict[int, Sample] = {}
    kept: list[Sample] = []
    for row in rows:
        at_ns, broker, *seen = row
        sample = Sample(at_ns, at_ns, broker, *seen)
        before = newest.get(sample.broker)
        if before and before.seen == sample.seen:
            newest[sample.broker] = replace(before, until_ns=sample.at_ns)
            continue
        if before:
            kept.append(before)
        newest[sample.broker] = sample
    return sorted([*kept, *newest.values()], key=lambda sample: (sample.at_ns, sample.broker))


def thinned(samples: Sequence[Sample], most: int) -> list[Sample]:
    """At most about `most` changes per broker; falling offsets, silence and new leaders stay."""
    kept: list[Sample] = []
    for broker in sorted({sample.broker for sample in samples}):
        own = [sample for sample in samples if sample.broker == broker]
        stride = max(1, ceil(len(own) / most))
        kept += [
            sample
            for number, sample in enumerate(own)
            if number % stride == 0 or number == len(own) - 1 or _turns(own[number - 1], sample)
        ]
    return sorted(kept, key=lambda sample: (sample.at_ns, sample.broker))


def _turns(before: Sample, after: Sample) -> bool:
    if (before.leader, before.leader_epoch) != (after.leader, after.leader_epoch):
        return True
    pairs = (
        (before.log_end_offset, after.log_end_offset),
        (before.high_watermark, after.high_watermark),
    )
    return any((old is None) != (new is None) or (new or 0) < (old or 0) for old, new in pairs)


def leader_periods(contents: RunContents, samples: Sequence[Sample]) -> list[Period]:
    """Who led, from samples and (on runs of one partition) from metadata events."""
    seen = [
        (sample.at_ns, sample.leader, sample.leader_epoch)
        for sample in samples
        if sample.leader is not None
    ]
    if len(contents.partitions("replica_states")) <= 1:
        seen += [
            (int(event["at_ns"]), int(event["leader"]), event.get("leader_epoch"))
            for event in contents.events
            if event.get("kind") == "metadata" and isinstance(event.get("leader"), int)
        ]
    periods: list[Period] = []
    for at_ns, leader, epoch in sorted(seen, key=lambda each: each[0]):
        if periods and (periods[-1].leader, periods[-1].epoch) == (leader, epoch):
            continue
        if periods:
            periods[-1] = replace(periods[-1], end_ns=at_ns)
        periods.append(Period(at_ns, contents.end_ns, leader, epoch))
    return periods
