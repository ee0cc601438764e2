"""When a replica's log became shorter: by the broker's own log, and by what looks saw."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from highwater.harness.model import name_in_kafka
from highwater.reports.contents import Event, RunContents
from highwater.reports.samples import Sample, changes

Place = tuple[str, int]  # topic and number
# In the wording of any release; what has no effect, or is only announced, cuts nothing.
TO_OFFSET = re.compile(
    r"\bTruncating (?:log |partition )?.*?"
    r"(?:\bto (?:offset |local high watermark )?|TruncationState\(offset=)(\d+)"
)
NO_CUT = re.compile(r"has no effect|no truncation needed", re.IGNORECASE)
SLACK_NS = 200_000_000
BECAUSE = re.compile(r"\bdue to (.+?)(?: \([\w.$]+\))?$")


@dataclass(frozen=True, slots=True)
class Cut:
    """One log that was longer before; `line` is the number of the event that says so, if any."""

    broker: int
    at_ns: int
    to_offset: int
    line: int | None
    text: str  # the broker's own words
    before: Sample | None  # the last look that saw the longer log

    @property
    def reason(self) -> str:
        """What the broker says why, "" where it says nothing."""
        found = BECAUSE.search(self.text)
        return found[1] if found else ""

    def took(self, offset: int) -> bool:
        """Whether that offset was in the log before, as far as a look tells, and not after it."""
        end = None if self.before is None else self.before.log_end_offset
        return self.to_offset <= offset and (end is None or offset < end)

    def acknowledged(self, contents: RunContents, place: Place) -> int:
        """How many records had been acknowledged by then at the offsets that were cut off."""
        end = None if self.before is None else self.before.log_end_offset
        if end is None:
            return 0
        chosen = (
            (pc.field("topic") == place[0])
            & (pc.field("partition") == place[1])
            & (pc.field("action") == "send")
            & (pc.field("outcome") == "ok")
            & (pc.field("completed_ns") <= self.at_ns)
            & (pc.field("offset") >= self.to_offset)
            & (pc.field("offset") < end)
        )
        return contents.count("history", chosen)


def is_about(place: Place, text: str) -> bool:
    """Whether a line of a broker's log names that partition, in the form of any release."""
    topic, number = re.escape(name_in_kafka(place[0])), place[1]
    return bool(
        re.search(rf"(?<![\w.-]){topic}-{number}(?![\w-])|\[{topic},{number}\]", text)
    )  # fmt: skip


def cuts(contents: RunContents, place: Place) -> list[Cut]:
    """In the order of time; a fall that the log tells of is not told again from the looks."""
    looks, (since_ns, until_ns) = changes(contents, place), _lifetime(contents, place)
    events = [
        (number, event)
        for number, event in enumerate(contents.events)
        if event.get("kind") == "log" and since_ns < int(event["at_ns"]) <= until_ns
    ]
    told = _told(events, place, looks)
    seen = [cut for cut in _seen(looks) if not any(_tells(each, cut) for each in told)]
    return sorted([*told, *seen], key=lambda cut: cut.at_ns)


def _lifetime(contents: RunContents, place: Place) -> tuple[float, float]:
    """After the last look at the topic that had its name before, and up to the last look at itself
    where another one has it afterwards: brokers call them all by that name.
    """
    table = contents.tables["replica_states"]
    same = [
        topic
        for topic in pc.unique(table.column("topic")).to_pylist()
        if name_in_kafka(topic) == name_in_kafka(place[0])
    ]
    last_ns = {
        topic: pc.max(table.filter(pc.field("topic") == topic).column("at_ns")).as_py()
        for topic in same
    }
    own_ns = last_ns.get(place[0], 0)
    since_ns = max((each for each in last_ns.values() if each < own_ns), default=-math.inf)
    is_last = own_ns == max(last_ns.values(), default=own_ns)
    return since_ns, math.inf if is_last else own_ns


def _told(events: Sequence[tuple[int, Event]], place: Place, looks: Sequence[Sample]) -> list[Cut]:
    """Fetcher and log both speak of one cut: the first one of the two stands for it."""
    found: list[Cut] = []
    for number, event in events:
        text, broker = str(event.get("text", "")), event.get("broker")
        told = TO_OFFSET.search(text)
        if told is None or type(broker) is not int or NO_CUT.search(text):
            continue
        if not is_about(place, text):
            continue
        before = _last(looks, broker, int(event["at_ns"]))
        cut = Cut(broker, int(event["at_ns"]), int(told[1]), number, text, before)
        if not _shortens(cut, looks) or any(_same(cut, each) for each in found):
            continue
        found.append(cut)
    return found


def _shortens(cut: Cut, looks: Sequence[Sample]) -> bool:
    """A new replica is cut to where it ends. Where nobody ever looked its word has to do."""
    if cut.before is None:
        return not any(each.broker == cut.broker for each in looks)
    return (cut.before.log_end_offset or 0) > cut.to_offset


def _same(one: Cut, other: Cut) -> bool:
    return (one.broker, one.to_offset, one.before) == (other.broker, other.to_offset, other.before)


def _tells(line: Cut, fall: Cut) -> bool:
    """The clocks of a log and of a look differ by little; between the two looks it was cut."""
    if line.broker != fall.broker or fall.before is None:
        return False
    return fall.before.at_ns - SLACK_NS <= line.at_ns <= fall.at_ns + SLACK_NS


def _last(looks: Iterable[Sample], broker: int, at_ns: int) -> Sample | None:
    known = [
        each
        for each in looks
        if each.broker == broker and each.log_end_offset is not None and each.at_ns <= at_ns
    ]
    return known[-1] if known else None


def _seen(looks: Sequence[Sample]) -> list[Cut]:
    newest: dict[int, Sample] = {}
    found: list[Cut] = []
    for look in looks:
        if look.log_end_offset is None:
            continue
        before = newest.get(look.broker)
        if before and (before.log_end_offset or 0) > look.log_end_offset:
            found.append(
                Cut(look.broker, look.at_ns, look.log_end_offset, None, "", before)
            )  # fmt: skip
        newest[look.broker] = look
    return found
