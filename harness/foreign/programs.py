"""Which program is meant by the name of a client, or by a command of the user's own."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from highwater.harness.errors import UsageError
from highwater.harness.foreign import environments, java
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.versions.catalogue import Kafka

OURS = "confluent"  # ours, which writes its history itself
JAVA = "java"
NAMES = (OURS, JAVA, *KNOWN)
SPEAKING = (JAVA, *KNOWN)  # the protocol of adapters

Client = str | Sequence[str]  # a name, or the words of a command


def command_of(client: Client, kafka: Kafka) -> Sequence[str]:
    """The words that start its adapter, built first if that has not been done.

    Raises UsageError for no client, and InfrastructureError where it cannot be built.
    """
    if isinstance(client, str):
        name, _, version = client.partition(":")
        if name == JAVA:
            return java.adapter(version, kafka)
        if name in KNOWN:
            return environments.adapter(KNOWN[name], version)
        if name == OURS:
            raise UsageError(
                f"{OURS} is part of Highwater and writes its record itself, not in lines; expected "
                f"a client of {', '.join(SPEAKING)}: confluent-kafka is the same library in lines"
            )
        raise UsageError(
            f"expected a client of {', '.join(SPEAKING)}, one with a version (java:3.9.1), or the "
            f"list of words of a command, saw {client!r:.120}"
        )
    is_listed = isinstance(client, list | tuple) and len(client) > 0
    if not is_listed or not all(isinstance(word, str) and word for word in client):
        raise UsageError(f"expected the words of a command, a list of texts, saw {client!r:.120}")
    if shutil.which(client[0]) is None:
        raise UsageError(f"expected a program that can be started, saw {client[0]!r:.120}")
    return list(client)
