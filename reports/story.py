"""The story of a run in plain words: a sentence for each event that tells, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from highwater.reports.axis import TimeAxis
from highwater.reports.contents import RunContents
from highwater.reports.cuts import Cut, Place
from highwater.reports.samples import Sample, changes
from highwater.reports.told import said
from highwater.reports.wording import counted, seconds, shortened

MOST_SENTENCES = 40
# Which go first where there are too many: what made a difference stays.
RANKS = {"cut": 0, "reign": 1, "broker": 1, "fault": 2, "client": 2, "send": 3, "gate": 3}
LAST_RANK = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """`line` is the number of the event that it is made of; None where looks at replicas are."""

    at_ns: int
    kind: str
    text: str
    line: int | None
    quote: str = ""  # a broker's own words
    x: float = 0.0

    @property
    def at(self) -> str:
        return seconds(self.at_ns)


@dataclass(frozen=True, slots=True)
class Story:
    sentences: Sequence[Sentence]
    left_out: int


def story(contents: RunContents, place: Place | None, cut: Sequence[Cut], axis: TimeAxis) -> Story:
    """Of the partition that matters most, where there is one; `cut` are the cuts of its logs."""
    told = [*_of_events(contents), *(_of_cut(contents, place, each) for each in cut if place)]
    if place:
        told += _of_reigns(contents, changes(contents, place))
    ordered = sorted(told, key=lambda each: each.at_ns)
    kept = _most_telling(ordered)
    placed = [
        Sentence(each.at_ns, each.kind, each.text, each.line, each.quote, axis.x(each.at_ns))
        for each in kept
    ]
    return Story(placed, len(ordered) - len(kept))


def _of_events(contents: RunContents) -> Iterator[Sentence]:
    before = ""
    for number, event in enumerate(contents.events):
        text = said(event)
        if text and text != before:  # a client of thousands says the same again and again
            yield Sentence(int(event["at_ns"]), str(event["kind"]), text, number)
        before = text or before


def _of_cut(contents: RunContents, place: Place | None, cut: Cut) -> Sentence:
    had = "" if place is None else _had(contents, place, cut)
    if cut.line is None:
        text = f"Broker {cut.broker} was seen with a log that ends at offset {cut.to_offset}"
    else:
        text = f"Broker {cut.broker} cut its log to offset {cut.to_offset}{_because(cut)}"
    return Sentence(
        cut.at_ns, "cut", f"{text}{_was(cut)}.{had}", cut.line, shortened(cut.text, 400)
    )


def _because(cut: Cut) -> str:
    if cut.reason:
        return f', as it says because of "{shortened(cut.reason, 160)}"'
    before = cut.before
    if before and before.high_watermark == cut.to_offset:
        return ", which is the high watermark that it knew in the look before"
    return ""


def _was(cut: Cut) -> str:
    before = cut.before
    if before is None:
        return ""
    mark = before.high_watermark
    knew = "" if mark is None else f", its high watermark at {mark}"
    at = seconds(before.until_ns)
    return f"; at {at} s its log had ended at offset {before.log_end_offset}{knew}"


def _had(contents: RunContents, place: Place, cut: Cut) -> str:
    acked = cut.acknowledged(contents, place)
    if not acked:
        return ""
    return f" {counted(acked, 'acknowledged record')} had been given offsets that it cut off."


def _of_reigns(contents: RunContents, looks: Sequence[Sample]) -> Iterator[Sentence]:
    """Who leads and who is in sync, each time that it is another: by metadata and by looks."""
    seen: list[tuple[int, object, object, str | None, int | None]] = [
        (each.at_ns, each.leader, each.leader_epoch, each.isr, None)
        for each in looks
        if each.leader is not None
    ]
    if len(contents.partitions("replica_states")) <= 1:
        seen += [
            (
                int(event["at_ns"]), event.get("leader"), event.get("leader_epoch"),
                _joined(event.get("isr")), number,
            )
            for number, event in enumerate(contents.events)
            if event.get("kind") == "metadata" and isinstance(event.get("leader"), int)
        ]  # fmt: skip
    before: tuple[object, ...] = ()
    for at_ns, leader, epoch, isr, number in sorted(seen, key=lambda each: each[0]):
        if (leader, epoch, isr) != before:
            yield Sentence(at_ns, "reign", _reign(leader, epoch, isr), number)
        before = (leader, epoch, isr)


def _joined(isr: object) -> str | None:
    return ",".join(map(str, sorted(isr))) if isinstance(isr, list) else None


def _reign(leader: object, epoch: object, isr: str | None) -> str:
    who = "Nobody leads" if leader == -1 else f"Broker {leader} leads"
    of = "" if epoch is None else f" in leader epoch {epoch}"
    return f"{who}{of}; in sync: {isr.replace(',', ', ') if isr else 'nobody known'}."


def _most_telling(told: Sequence[Sentence]) -> list[Sentence]:
    ranked = sorted(
        range(len(told)), key=lambda number: (RANKS.get(told[number].kind, LAST_RANK), number)
    )
    return [told[number] for number in sorted(ranked[:MOST_SENTENCES])]
