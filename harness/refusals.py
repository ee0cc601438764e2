"""Errors with which a record is refused for its own sake, wherever it is sent and whoever leads.

Kafka's names for them are those of org.apache.kafka.common.protocol.Errors; the classes of the Java
client and the words of other libraries say the same with other capitals and joints, or with words
of their own.
"""

from __future__ import annotations

import re

_OF_ITS_SIZE = (
    "msgsizetoolarge", "messagetoolarge", "messagesizetoolarge", "messagewastoolarge",
    "recordtoolarge", "recordlisttoolarge", "recordbatchtoolarge",
    "messagelargerthan", "messagebatchlargerthan",
)  # fmt: skip
_OF_ITS_FORM = (
    "invalidrecord", "invalidtimestamp", "unsupportedformessageformat", "serialization",
    "recordhasfailedthevalidation",
)  # fmt: skip
_OF_ITS_SENDER = (
    "authorizationfailed", "authorizationexception", "notauthorizedtoaccess", "invalidrequiredacks",
)  # fmt: skip
_WORDS = (*_OF_ITS_SIZE, *_OF_ITS_FORM, *_OF_ITS_SENDER, "policyviolation", "invalidtopic")
_WAITED = ("timeout", "timedout")  # and names what it waited for, such as a topic, by any words


def is_of_the_record(error: str | None) -> bool:
    """Whether such an error says nothing of the partition that the record was sent to."""
    told = re.sub("[^a-z]", "", (error or "").lower())
    return any(word in told for word in _WORDS) and not any(word in told for word in _WAITED)
