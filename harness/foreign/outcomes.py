"""Whether a record that was not acknowledged can be in a log: the harness decides, no adapter."""

from __future__ import annotations

from highwater.harness.foreign.lines import Event
from highwater.harness.model import Outcome

# Kafka's codes of answers by which nothing has been appended.
REFUSED = {
    10: "MESSAGE_TOO_LARGE",
    19: "NOT_ENOUGH_REPLICAS",
    21: "INVALID_REQUIRED_ACKS",
    29: "TOPIC_AUTHORIZATION_FAILED",
}


def outcome_of(error: Event, *, sends_once: bool) -> Outcome:
    """Failed only where nothing can have been appended; see docs/adr/0049.

    That is where the library's own call did not take the record, and where a broker refused its
    only attempt. An earlier attempt may have been appended and not been answered.
    """
    if error["refused"]:
        return Outcome.FAILED
    if sends_once and error["code"] in REFUSED:
        return Outcome.FAILED
    return Outcome.UNKNOWN


def in_words(error: Event) -> str:
    """As the history has it."""
    return f"{error['error']}: {error['text']}"[:500]
