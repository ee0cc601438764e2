"""The timeline: a lane per broker and client, faults, what stood at the gate, the play itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from highwater.reports.axis import RIGHT, Tick, TimeAxis
from highwater.reports.client_lanes import client_lanes
from highwater.reports.contents import Event, RunContents
from highwater.reports.lanes import CHARACTER, Bar, Lane, Mark, stacked
from highwater.reports.samples import Period
from highwater.reports.wording import api_name, compact, seconds, shortened

TOP = 44  # room for the numbered steps and the time axis
MOST_LINKS = 8
STATES = {
    "started": "starting",
    "serving": "running",
    "resumed": "running",
    "paused": "paused",
    "killed": "",
    "terminated": "",
    "exited": "",
}
ENDS_OF_A_HOLD = frozenset({"passed", "dropped", "cut"})
OPTION = re.compile(r", \w+=(True|False)")
LONGEST_LABEL = 44


@dataclass(frozen=True, slots=True)
class Timeline:
    lanes: Sequence[Lane]
    steps: Sequence[Mark]  # numbered as in the table of events
    ticks: Sequence[Tick]
    height: float
    description: str
    left_out: str


def timeline(contents: RunContents, axis: TimeAxis, periods: Sequence[Period]) -> Timeline:
    events = contents.events
    brokers = sorted({broker for event in events if (broker := _broker(event)) is not None})
    links, left_out = gate_lanes(contents, axis)
    lanes = [broker_lane(broker, contents, axis, periods) for broker in brokers]
    clients, also_left_out = client_lanes(events, axis)
    lanes += [fault_lane(contents, axis), *clients, *links]
    lanes += [_marks("checks", _checks(events), axis), _marks("sends", _sends(events), axis)]
    placed = stacked([lane for lane in lanes if lane.bars or lane.marks], TOP)
    steps = [
        Mark(axis.x(event["at_ns"]), str(number), "step", _said(event), str(event.get("text")))
        for number, event in enumerate(of_kind(events, "step"), start=1)
    ]
    bottom = placed[-1].y + placed[-1].height if placed else TOP
    said = f"{len(brokers)} brokers, {len(steps)} steps, {seconds(contents.end_ns)} seconds"
    return Timeline(
        placed, steps, axis.ticks(), bottom + 6, said, f"{left_out} {also_left_out}".strip()
    )


def of_kind(events: Iterable[Event], kind: str) -> list[Event]:
    return [event for event in events if event.get("kind") == kind]


def broker_lane(
    broker: int, contents: RunContents, axis: TimeAxis, periods: Sequence[Period]
) -> Lane:
    """Running, starting and paused bars; a gap is a process that is not there."""
    own = [event for event in of_kind(contents.events, "broker") if _broker(event) == broker]
    bars: list[Bar] = []
    marks: list[Mark] = []
    first = str(own[0].get("event")) if own else "serving"
    state, since_ns = ("" if first == "started" else "running"), 0
    for event in own:
        happened = str(event.get("event"))
        if happened not in STATES:
            continue
        bars += _state_bar(state, axis.x(since_ns), axis.x(event["at_ns"]))
        state, since_ns = STATES[happened], event["at_ns"]
        if not state:
            marks.append(Mark(axis.x(since_ns), f"✕ {happened}", "gone", _said(event)))
    bars += _state_bar(state, axis.x(since_ns), float(RIGHT))
    gone = [event["at_ns"] for event in own if STATES.get(str(event.get("event"))) == ""]
    led = [_led_bar(period, gone, axis) for period in periods if period.leader == broker]
    said = [
        Mark(axis.x(event["at_ns"]), "◆", "logline", _said(event))
        for event in of_kind(contents.events, "log")
        if _broker(event) == broker
    ]
    return Lane(f"broker {broker}", bars, marks + said, led, kind="broker")


def _led_bar(period: Period, gone: Sequence[int], axis: TimeAxis) -> Bar:
    """Leadership ends with the process, however long the metadata still names it."""
    ends = [at_ns for at_ns in gone if at_ns >= period.start_ns]
    x = axis.x(period.start_ns)
    width = round(axis.x(min([period.end_ns, *ends])) - x, 1)
    epoch = "" if period.epoch is None else f"e{period.epoch}"
    wordings = (f"leader, epoch {period.epoch}" if epoch else "leader", f"leader {epoch}", epoch)
    label = next((each for each in wordings if len(each) * CHARACTER + 6 <= width), "")
    return Bar(x, width, "led", label, f"leads from {seconds(period.start_ns)} s, {wordings[0]}")


def _state_bar(state: str, start: float, end: float) -> list[Bar]:
    if not state or end - start < 0.5:
        return []
    label = "" if state == "running" else state
    return [Bar(start, round(end - start, 1), state, label, state)]


def fault_lane(contents: RunContents, axis: TimeAxis) -> Lane:
    """A bar from opened to closed; one that never closed reaches the end of the record."""
    opened: dict[object, Event] = {}
    bars: list[Bar] = []
    marks: list[Mark] = []
    for event in of_kind(contents.events, "fault"):
        phase = event.get("phase")
        if phase == "opened":
            opened[event.get("id")] = event
        elif phase == "closed" and event.get("id") in opened:
            bars.append(_fault_bar(opened.pop(event.get("id")), axis, axis.x(event["at_ns"])))
        elif phase == "failed":
            opened.pop(event.get("id"), None)
            marks.append(Mark(axis.x(event["at_ns"]), "✕ failed", "gone", _said(event)))
    bars += [_fault_bar(event, axis, float(RIGHT)) for event in opened.values()]
    return Lane("faults", bars, marks)


def _fault_bar(event: Event, axis: TimeAxis, end: float) -> Bar:
    # Options that are on or off stand in the title and the table; a label says who is hit.
    name = OPTION.sub("", str(event.get("fault") or event.get("text")))
    name = shortened(name, LONGEST_LABEL)
    x = axis.x(event["at_ns"])
    return Bar(x, max(2.0, round(end - x, 1)), "fault", name, _said(event))


def gate_lanes(contents: RunContents, axis: TimeAxis) -> tuple[list[Lane], str]:
    """What stood at the gate: a lane per leader and follower, one per leader for its clients."""
    links: dict[tuple[object, object], list[Event]] = {}
    for event in of_kind(contents.events, "gate"):
        links.setdefault((event.get("leader"), event.get("follower")), []).append(event)
    ordered = sorted(links.items(), key=lambda item: str(item[0]))
    lanes = [_gate_lane(link, events, axis) for link, events in ordered[:MOST_LINKS]]
    more = len(ordered) - MOST_LINKS
    return lanes, (f"{more} more replication links passed the gate." if more > 0 else "")


def _gate_lane(link: tuple[object, object], events: Sequence[Event], axis: TimeAxis) -> Lane:
    leader, follower = link
    standing: dict[object, Event] = {}
    bars: list[Bar] = []
    marks: list[Mark] = []
    for event in events:
        what, key = event.get("event"), (event.get("api"), event.get("stage"))
        if what == "standing":
            standing.setdefault(key, event)
        elif what in ENDS_OF_A_HOLD and key in standing:
            bars.append(_hold_bar(standing.pop(key), axis, axis.x(event["at_ns"]), str(what)))
        elif what in ("dropped", "cut"):
            marks.append(Mark(axis.x(event["at_ns"]), "✕", "gone", _said(event)))
        elif what == "armed":
            marks.append(Mark(axis.x(event["at_ns"]), "▽", "armed", _said(event)))
    bars += [_hold_bar(event, axis, float(RIGHT), "held to the end") for event in standing.values()]
    label = f"client → {leader}" if follower is None else f"{follower} ← {leader}"
    return Lane(f"gate {label}", bars, marks)


def _hold_bar(event: Event, axis: TimeAxis, end: float, ending: str) -> Bar:
    named = {"api": api_name(event.get("api")), "stage": str(event.get("stage"))}
    held = " ".join(words for key, words in named.items() if event.get(key) is not None)
    x = axis.x(event["at_ns"])
    label = f"{held or 'held'}, {ending}"
    return Bar(x, max(2.0, round(end - x, 1)), "hold", label, f"{_said(event)}; then {ending}")


def _checks(events: Sequence[Event]) -> list[tuple[Event, str, str]]:
    return [
        (event, "✓" if event.get("met") else "✕ not met", "met" if event.get("met") else "gone")
        for event in of_kind(events, "precondition")
    ]


def _sends(events: Sequence[Event]) -> list[tuple[Event, str, str]]:
    return [(event, "▲", "send") for event in of_kind(events, "send")]


def _marks(label: str, marked: Sequence[tuple[Event, str, str]], axis: TimeAxis) -> Lane:
    marks = [
        Mark(axis.x(event["at_ns"]), symbol, kind, _said(event)) for event, symbol, kind in marked
    ]
    return Lane(label, marks=marks)


def _broker(event: Event) -> int | None:
    broker = event.get("broker")
    return broker if isinstance(broker, int) and event.get("kind") in ("broker", "log") else None


def _said(event: Event) -> str:
    proof = event.get("proof") or event.get("observed")
    more = f" ({compact(proof)})" if proof else ""
    return f"{seconds(event['at_ns'])} s: {shortened(str(event.get('text')), 200)}{more}"
