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

# Of answers by which nothing has been committed: as the record has them, see clients/commits.py.
COMMIT_REFUSED = {
    12: "OFFSET_METADATA_TOO_LARGE",
    22: "ILLEGAL_GENERATION",
    25: "UNKNOWN_MEMBER_ID",
    27: "REBALANCE_IN_PROGRESS",
    28: "INVALID_COMMIT_OFFSET_SIZE",
    29: "TOPIC_AUTHORIZATION_FAILED",
    30: "GROUP_AUTHORIZATION_FAILED",
    82: "FENCED_INSTANCE_ID",
    113: "STALE_MEMBER_EPOCH",
}
_DECIDE = {"ABORTED", *COMMIT_REFUSED.values()}  # names by which the record tells the same
MOST_TOLD = 500  # characters of what a library says of one error


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
    return f"{error['error']}: {error['text']}"[:MOST_TOLD]


def named_code(committed: Event) -> str | None:
    """What a commit was answered: Kafka's name where its code decides, or else the library's own.

    That is not taken for one by which nothing was committed, whatever a library calls it.
    """
    named: str | None = committed["error"]
    if named is None:
        return None
    told = f"{named} without its code" if named in _DECIDE else named
    return COMMIT_REFUSED.get(committed["code"], told)[:MOST_TOLD]
