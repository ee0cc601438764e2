"""What each recorded event says, as a sentence; nothing is said that no event says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from highwater.reports.contents import Event
from highwater.reports.wording import api_name, counted, shortened

LONGEST = 240
ARGUMENT = re.compile(r"(\w+)=('[^']*'|\"[^\"]*\"|[-\w.]+)")
LINK = "follower {follower} and leader {leader}"
FAULTS = {
    "HoldAnswers": "Answers of leader {leader} to follower {follower} are to wait at the gate",
    "HoldRequests": "Fetches of follower {follower} from leader {leader} are to wait at the gate",
    "BlockLink": f"From now on nothing passes between {LINK}",
    "DelayRequests": "From now on fetches of follower {follower} from leader {leader} are late "
    "by {delay_ms} ms",
    "DelayLink": f"From now on all between {LINK} is late by {{delay_ms}} ms",
    "Isolate": "Broker {broker} is cut off from its peers",
    "Offline": "Broker {broker} is taken off the network",
    "CutTail": "The log of broker {broker}, which does not run, is cut to offset "
    "{log_end_offset}, as by a loss of power",
    "PowerLoss": "Broker {broker} loses power: its log is cut to offset {log_end_offset}",
}
SAID_BY_BROKERS = frozenset({"Kill", "Stop", "Pause"})  # an event of the broker follows
BROKERS = {
    "killed": "Broker {broker} was killed.",
    "terminated": "Broker {broker} was shut down.",
    "exited": "Broker {broker} ended by itself.",
    "paused": "Broker {broker} was frozen.",
    "resumed": "Broker {broker} went on.",
    "started": "Broker {broker} was started.",
    "serving": "Broker {broker} serves.",
}
HELD = {"standing": "stands at the gate", "dropped": "is never delivered", "cut": "is cut off",
        "passed": "is let through"}  # fmt: skip
ASKED = {
    0: "produce request",
    1: "fetch",
    4: "order of a controller",
    23: "question for an epoch's end",
}


def said(event: Event) -> str:
    """A sentence, "" for what is not told."""
    tell = KINDS.get(str(event.get("kind")))
    return shortened(tell(event), LONGEST) if tell else ""


def _step(event: Event) -> str:
    return f"The play: {event.get('text')}"


def _send(event: Event) -> str:
    records, acked = event.get("records"), event.get("acked")
    first, end = event.get("first_offset"), event.get("end_offset")
    if type(records) is not int or type(acked) is not int:
        return str(event.get("text", ""))
    where = ""
    if type(first) is int and type(end) is int and end > first:
        where = f", at offset {first}" if end == first + 1 else f", at offsets {first} to {end - 1}"
    return (
        f"{event.get('client')} sent {counted(records, 'record')} with acks={event.get('acks')}; "
        f"{acked:,} acknowledged{where}."
    )


def _fault(event: Event) -> str:
    phase, name = event.get("phase"), str(event.get("fault") or event.get("text"))
    kind = name.partition("(")[0]
    if kind in SAID_BY_BROKERS and phase in ("opened", "closed"):
        return ""
    if phase == "opened":
        return f"{_plain(kind, name)}."
    if phase == "closed":
        return f"Healed: {name}."
    return f"Fault {phase}: {name}."


def _plain(kind: str, name: str) -> str:
    arguments = dict(ARGUMENT.findall(name))
    try:
        plain = FAULTS[kind].format_map(arguments)
    except KeyError:
        return f"Fault injected: {name}"
    plain = plain.replace("leader None", "whoever leads")
    late = kind == "HoldAnswers" and arguments.get("after_records") == "True"
    return f"{plain}, from the one after records on" if late else plain


def _precondition(event: Event) -> str:
    return f"Required, and seen: {event.get('text')}." if event.get("met") else (
        f"Required, and NOT seen: {event.get('text')}."
    )  # fmt: skip


def _gate(event: Event) -> str:
    happened, api, stage = (event.get(name) for name in ("event", "api", "stage"))
    if happened not in HELD or event.get("leader") is None:
        return ""
    follower = event.get("follower")
    asking = f"broker {follower}" if follower is not None else str(event.get("client_id"))
    frame = ASKED.get(api, "") if isinstance(api, int) else ""
    frame = frame or f"{api_name(api)} request"
    ends = (asking, f"broker {event.get('leader')}")
    if stage == "response":
        return (
            f"The answer of {ends[1]} to a {frame} of {ends[0]}{_content(event)} {HELD[happened]}."
        )
    return f"A {frame} of {ends[0]} to {ends[1]}{_content(event)} {HELD[happened]}."


def _content(event: Event) -> str:
    """What the frame says of the first partition in it, or has to say."""
    partitions = event.get("partitions")
    first = partitions[0] if isinstance(partitions, list) and partitions else None
    if not isinstance(first, Mapping):
        return ""
    names = {
        "fetch_offset": "from offset",
        "leader_epoch": "epoch",
        "high_watermark": "high watermark",
    }
    words = [f"{word} {first[key]}" for key, word in names.items() if first.get(key) is not None]
    return f" ({', '.join(words)})" if words else ""


def _broker(event: Event) -> str:
    words = BROKERS.get(str(event.get("event")))
    return words.format(broker=event.get("broker")) if words else str(event.get("text", ""))


def _client(event: Event) -> str:
    if event.get("event") not in ("killed", "paused", "resumed", "fatal", "ended"):
        return ""
    return f"Client {event.get('client')}: {event.get('event')}."


def _read(event: Event) -> str:
    return f"The final read: {event.get('text')}."


KINDS: Mapping[str, Callable[[Event], str]] = {
    "step": _step,
    "send": _send,
    "fault": _fault,
    "precondition": _precondition,
    "gate": _gate,
    "broker": _broker,
    "client": _client,
    "read": _read,
}
