"""Answers that say where brokers are, with the gate's addresses in the place of the brokers' own.

A client that was told a broker's own address would go past the gate from then on. Besides Metadata,
answers to Produce and Fetch say where a new leader is (KIP-951).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from highwater.harness.gate import headers
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages.codec import Values
from highwater.harness.gate.messages.declining import answer_frame, read_answer
from highwater.harness.gate.messages.schemas import Schemas

Address = tuple[str, int]  # host and port
# The version from which on an answer names addresses.
_NAMED_FROM = {
    headers.METADATA: 0,
    headers.FIND_COORDINATOR: 0,
    headers.DESCRIBE_CLUSTER: 0,
    headers.PRODUCE: 10,
    headers.FETCH: 16,
    headers.SHARE_FETCH: 0,
    headers.SHARE_ACKNOWLEDGE: 0,
}


def may_name(api_key: int, version: int) -> bool:
    """Whether an answer of this kind could say where a broker is."""
    return version >= _NAMED_FROM.get(api_key, 1 << 15)


class Readdressed:
    """An answer that has been read; `frame` is None where it names no broker.

    Raises DecodeError for what is no such answer.
    """

    def __init__(
        self, schemas: Schemas, header: RequestHeader, raw: bytes, gates: Mapping[Address, Address]
    ) -> None:
        """`gates` is where the gate stands for each broker."""
        message, values = read_answer(schemas, header, raw)
        self.strangers: list[Address] = []  # brokers that the gate does not stand for
        self.topics = _topics(values)
        self.frame: bytes | None = None
        named = list(_places(values))
        for each in named:
            own = (each["Host"], each["Port"])
            if own in gates:
                each["Host"], each["Port"] = gates[own]
            elif own[1] > 0 and own not in gates.values():
                self.strangers.append(own)
        if named:
            self.frame = answer_frame(message, header, values)


def _places(values: Values) -> Iterator[Values]:
    """Everything with a host and a port, however deep."""
    if "Host" in values and "Port" in values:
        yield values
    for each in values.values():
        for one in each if isinstance(each, list) else ():
            if isinstance(one, dict):
                yield from _places(one)


def _topics(values: Values) -> list[Values]:
    """Those that have a name and an id: rules may mean one by the other."""
    found = values.get("Topics") or ()
    return [one for one in found if isinstance(one, dict) and {"Name", "TopicId"} <= one.keys()]
