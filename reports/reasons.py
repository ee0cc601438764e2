"""Why an anomaly came about: what the record says, and marked as such what it only suggests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highwater.reports.cuts import Cut
from highwater.reports.samples import Period, Sample
from highwater.reports.subjects import Subject
from highwater.reports.wording import seconds, shortened


@dataclass(frozen=True, slots=True)
class Reason:
    text: str
    at_ns: int | None = None
    line: int | None = None  # the number of the event that says so
    quote: str = ""
    is_hypothesis: bool = False


def reasons(
    subject: Subject, periods: Sequence[Period], looks: Sequence[Sample], cut: Sequence[Cut]
) -> list[Reason]:
    """The logs that were cut below the record, and what made that the end of it.

    `periods` are those of leaders, and empty where the record is not gone.
    """
    offset = subject.offset
    if subject.place is None or offset is None:
        return []
    after_ns = subject.number("invoked_ns") or 0
    took = [each for each in cut if each.took(offset) and each.at_ns >= after_ns]
    led = [each for each in periods if each.leader >= 0]
    seen = [each.at_ns for each in looks if (each.log_end_offset or 0) > offset]
    there_ns = max([subject.number("completed_ns") or after_ns, *seen[:1]])
    without = _led_without(led, looks, offset, there_ns)
    facts = [_cut(each, offset) for each in took]
    if without is None:
        return facts
    led_without, hypothesis = _led(without, looks, took, offset)
    known = sorted([*facts, led_without], key=lambda each: each.at_ns or 0)
    return [*known, hypothesis]


def _cut(cut: Cut, offset: int) -> Reason:
    end = "?" if cut.before is None else cut.before.log_end_offset
    if cut.line is None:
        return Reason(
            f"Broker {cut.broker}: a look saw its log end at offset {cut.to_offset}, one before it "
            f"at {end}: offset {offset} was gone.",
            cut.at_ns,
        )
    return Reason(
        f"Broker {cut.broker} cut its log to offset {cut.to_offset}: offset {offset} was gone.",
        cut.at_ns,
        cut.line,
        shortened(cut.text, 400),
    )


def _led_without(
    periods: Sequence[Period], looks: Sequence[Sample], offset: int, after_ns: int
) -> tuple[Period, Sample] | None:
    """The first leader from then on whose log, when it began, ended before the record."""
    for period in periods:
        own = [
            each
            for each in looks
            if each.broker == period.leader and each.log_end_offset is not None
        ]
        seen = [each for each in own if each.at_ns <= period.start_ns] or own[:1]
        if period.start_ns <= after_ns or not seen:
            continue
        if (seen[-1].log_end_offset or 0) <= offset:
            return period, seen[-1]
    return None


def _led(
    without: tuple[Period, Sample], looks: Sequence[Sample], took: Sequence[Cut], offset: int
) -> tuple[Reason, Reason]:
    """Who led without the record, and what that suggests."""
    period, look = without
    epoch = "" if period.epoch is None else f" in leader epoch {period.epoch}"
    led = Reason(
        f"Broker {period.leader} leads{epoch} from {seconds(period.start_ns)} s on; at "
        f"{seconds(look.at_ns)} s its log had ended at offset {look.log_end_offset}.",
        period.start_ns,
    )
    cut = [each for each in took if each.broker == period.leader and each.at_ns <= period.start_ns]
    had = any(
        each.broker == period.leader and (each.log_end_offset or 0) > offset
        for each in looks
        if each.at_ns <= period.start_ns
    )
    if cut:
        how = (
            f"broker {period.leader} had cut the record off before it became leader, and the "
            "others then followed its log"
        )
    elif not had:
        how = (
            f"broker {period.leader} became leader and never had the record, and the others then "
            "followed its log"
        )
    else:
        how = (
            f"broker {period.leader} had lost the record before it became leader, and the others "
            "then followed its log"
        )
    return led, Reason(f"{how[0].upper()}{how[1:]}.", is_hypothesis=True)
