"""The fetches of one partition as they passed the gate: what was asked for, and when what came."""

from collections.abc import Iterator
from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate


@dataclass(frozen=True, slots=True)
class Fetch:
    """A request and its answer; `waited_ms` and `record_bytes` are None while there is none."""

    follower: int
    offset: int
    waited_ms: float | None
    record_bytes: int | None


def fetches(watched: AtTheGate) -> Iterator[Fetch]:
    """What a WatchFetches has seen, in the order of the requests."""
    events = [event for event in watched.rule.events() if event["event"] == "seen"]
    answers = {_which(event): event for event in events if event["stage"] == "response"}
    for asked in events:
        if asked["stage"] != "request":
            continue
        (of_it,) = asked["partitions"]
        told = answers.get(_which(asked))
        yield Fetch(
            follower=asked["follower"],
            offset=of_it["fetch_offset"],
            waited_ms=None if told is None else (told["at_ns"] - asked["at_ns"]) / 1e6,
            record_bytes=None if told is None else told["partitions"][0].get("record_bytes", 0),
        )


def _which(event: dict[str, object]) -> tuple[object, object]:
    return event["connection"], event["correlation_id"]
