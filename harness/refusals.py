"""Errors with which a record is refused for its own sake, wherever it is sent and whoever leads.

Kafka's names for them are those of org.apache.kafka.common.protocol.Errors; the classes of the Java
client and the words of other libraries say the same with other capitals and joints, or with words
of their own.
"""

from __future__ import annotations

import re

# Whole names and sentences: an error may name a topic, which may be called anything.
_CODES = (
    r"(?:MSG_SIZE|MESSAGE|RECORD_LIST)_TOO_LARGE", "INVALID_RECORD", "INVALID_TIMESTAMP",
    "UNSUPPORTED_FOR_MESSAGE_FORMAT", r"(?:[A-Z]+_)*AUTHORIZATION_FAILED", "POLICY_VIOLATION",
    "INVALID_REQUIRED_ACKS", "INVALID_TOPIC_EXCEPTION",
)  # fmt: skip
_CLASSES = (
    r"(?:Message|MessageSize|Record|RecordBatch|RecordList)TooLarge(?:Error|Exception)?",
    r"\w*AuthorizationException", r"\w*AuthorizationFailed\w*",
    (r"(?:InvalidRecord|InvalidTimestamp|Serialization|PolicyViolation|InvalidTopic|"
    r"InvalidRequiredAcks|UnsupportedForMessageFormat)(?:Error|Exception)"),
)  # fmt: skip
_SENTENCES = (
    r"included a message larger than", r"message (?:batch )?larger than", "Message was too large",
    "Message Size Too Large", r"bytes when serialized,? which is larger than",
    "[Nn]ot authorized(?: to access)?", "Topic Authorization Failed",
    "has failed the validation on the broker",
)  # fmt: skip
_KNOWN = re.compile(rf"(?<![\w.-])(?:{'|'.join((*_CODES, *_CLASSES, *_SENTENCES))})(?![\w-])")


def is_of_the_record(error: str | None) -> bool:
    """Whether such an error says nothing of the partition that the record was sent to."""
    return _KNOWN.search(error or "") is not None
