"""Which requests can be answered with which errors, by the names that Kafka has for them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from highwater.harness.errors import UsageError
from highwater.harness.gate import headers
from highwater.harness.gate.messages.answers import APIS
from highwater.harness.gate.messages.errors import CODES, KNOWN
from highwater.harness.gate.messages.sparing import PLACED

NAMED = {
    "Produce": headers.PRODUCE,
    "Fetch": headers.FETCH,
    "ListOffsets": headers.LIST_OFFSETS,
    "Metadata": headers.METADATA,
    "OffsetCommit": headers.OFFSET_COMMIT,
    "OffsetFetch": headers.OFFSET_FETCH,
    "FindCoordinator": headers.FIND_COORDINATOR,
    "JoinGroup": headers.JOIN_GROUP,
    "Heartbeat": headers.HEARTBEAT,
    "SyncGroup": headers.SYNC_GROUP,
    "InitProducerId": headers.INIT_PRODUCER_ID,
    "AddPartitionsToTxn": headers.ADD_PARTITIONS_TO_TXN,
    "AddOffsetsToTxn": headers.ADD_OFFSETS_TO_TXN,
    "EndTxn": headers.END_TXN,
    "TxnOffsetCommit": headers.TXN_OFFSET_COMMIT,
    "ConsumerGroupHeartbeat": headers.CONSUMER_GROUP_HEARTBEAT,
}
# Not to be answered with an error: clients take that for a broker too old to know the request.
ASKED = {**NAMED, "ApiVersions": headers.API_VERSIONS}
# Answers to Produce by which nothing has been appended: the record of a play calls such a send
# failed, and no such record may be in a log. Of any other error it says that nobody knows.
REFUSALS = (
    "MESSAGE_TOO_LARGE",
    "NOT_ENOUGH_REPLICAS",
    "INVALID_REQUIRED_ACKS",
    "TOPIC_AUTHORIZATION_FAILED",
)
# The same of OffsetCommit, by which nothing has been committed.
COMMIT_REFUSALS = (
    "OFFSET_METADATA_TOO_LARGE",
    "ILLEGAL_GENERATION",
    "UNKNOWN_MEMBER_ID",
    "REBALANCE_IN_PROGRESS",
    "INVALID_COMMIT_OFFSET_SIZE",
    "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED",
    "FENCED_INSTANCE_ID",
    "STALE_MEMBER_EPOCH",
)
# By apis: what is called in the record, and by which answers it has failed.
FAILED = {"Produce": ("send", REFUSALS), "OffsetCommit": ("commit", COMMIT_REFUSALS)}
# What clients take for an acknowledgement, of a batch that a log has had before.
HAD = "DUPLICATE_SEQUENCE_NUMBER"


def require_answerable(api: str, error: str, *, done: bool, placed: bool) -> None:
    """Raises UsageError; `placed`: a partition is named that is meant."""
    api_named(api, done=done)
    error_named(error)
    refuse_lies(api, error, done=done)
    if placed:
        refuse_places(api)


def api_named(name: str, *, done: bool) -> int:
    """The api key. Raises UsageError for a name that is none, or cannot be answered so."""
    if not isinstance(name, str) or name not in NAMED:
        raise UsageError(_unknown("api", name, NAMED))
    if not done and NAMED[name] not in APIS:
        raise UsageError(
            f"AnswerRequests({name!r}): its answer says where the brokers are, so it has to be a "
            "broker's own with an error in it: say done=True"
        )
    return NAMED[name]


def asked_named(name: str) -> int:
    """The api key of what may stand or be late. Raises UsageError for a name that is none."""
    if not isinstance(name, str) or name not in ASKED:
        raise UsageError(_unknown("api", name, ASKED))
    return ASKED[name]


def error_named(name: str) -> int:
    """The error code. Raises UsageError for a name that Kafka does not have."""
    if name not in KNOWN:
        raise UsageError(_unknown("error", name, CODES))
    return KNOWN[name]


def refuse_lies(api: str, error: str, *, done: bool) -> None:
    """Raises UsageError for what would make the record of a play say what is not so."""
    if not done and (api, error) == ("Produce", HAD):
        raise UsageError(
            f"AnswerRequests('Produce', {error!r}): clients take what they sent for acknowledged, "
            "for a log has had it before, and no broker has seen it; say done=True"
        )
    what, refusals = FAILED.get(api, ("", ()))
    if done and KNOWN[error] in {CODES[each] for each in refusals}:
        raise UsageError(
            f"AnswerRequests({api!r}, {error!r}, done=True): the record of the play would say "
            f"that the {what} has failed, though it has taken effect; expected any error but "
            f"{', '.join(refusals)}"
        )


def refuse_places(api: str) -> None:
    """Raises UsageError for an api whose requests name no partitions."""
    if NAMED[api] not in PLACED:
        able = ", ".join(name for name, key in NAMED.items() if key in PLACED)
        raise UsageError(
            f"a request of {api} names no partitions, so none can be meant; those of {able} do"
        )


def _unknown(what: str, name: object, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"expected an {what} of Kafka's, saw {name!r}{meant}"
