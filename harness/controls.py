"""Controls: one setting changed on the same binary, so that the cause is shown and not guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka, release_of

PROTOCOL = re.compile(r"\d+(\.\d+)+(-IV\d+)?")


def control_settings(control: str | None) -> Mapping[str, str]:
    """The broker settings behind a control such as "ibp=0.11.0-IV1"; none for None.

    ibp=X lowers `inter.broker.protocol.version` and `log.message.format.version` to X: with
    0.11.0-IV1 the brokers of any later release with ZooKeeper stop asking for leader epochs.
    Raises UsageError for a control that nobody knows.
    """
    if control is None:
        return {}
    name, _, value = control.partition("=")
    if name != "ibp" or not PROTOCOL.fullmatch(value):
        raise UsageError(
            f"unknown control {control!r}; expected ibp=VERSION, such as ibp=0.11.0-IV1"
        )
    return {"inter.broker.protocol.version": value, "log.message.format.version": value}


def applies(control: str, kafka: Kafka) -> bool:
    """Whether a Kafka can be started with a control: not older than its protocol, not KRaft."""
    value = control.partition("=")[2]
    return not kafka.kraft and release_of(kafka.version) >= release_of(value)
