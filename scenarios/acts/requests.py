"""What a producer has sent, as it passed the gate: to whom, and how much at once."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate


@dataclass(frozen=True, slots=True)
class Sending:
    broker: int  # that it was for
    frame_bytes: int


def sendings(watched: AtTheGate) -> list[Sending]:
    """What a WatchProduce has seen, in the order in which the requests passed."""
    events = [event for event in watched.rule.events() if event["event"] == "seen"]
    return [Sending(event["leader"], event["frame_bytes"]) for event in events]
