"""Error answers of every api in every version, byte by byte against Kafka, kio and kafka-python."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping
from typing import Any

import kafka.protocol.consumer
import kafka.protocol.metadata
import kafka.protocol.producer
import pytest
from kio.serial import entity_reader
from tests.unit.gate.oracles import Kafkas, every_api, frame_of, kafkas, schemas, some
from tests.unit.gate.test_other_codecs import kio_write

from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.declining import declined, spoilt

pytestmark = pytest.mark.on_demand(together="tests/unit/gate/test_error_answers.py")

NOT_LEADER = 6
ERRORS = (NOT_LEADER, 14, 89)  # COORDINATOR_LOAD_IN_PROGRESS, THROTTLING_QUOTA_EXCEEDED
REFUSED = [(name, version) for name, version in every_api() if name != "Metadata"]
SPOILT = [(name, version) for name, version in every_api() if name == "Metadata"]

# Versions that an oracle does not have; what it has learnt meanwhile is compared.
NOT_IN_KIO: Mapping[str, set[int]] = {
    "Produce": {12, 13},
    "Fetch": {18},
    "ListOffsets": {10, 11},
    "Metadata": {13},
    "OffsetCommit": {10},
    "OffsetFetch": {10},
    "InitProducerId": {6},
    "EndTxn": {5},
    "TxnOffsetCommit": {5, 6},
    "ConsumerGroupHeartbeat": {1},
}
NOT_IN_KAFKA_PYTHON: Mapping[str, set[int]] = {
    "TxnOffsetCommit": {6},
    "ConsumerGroupHeartbeat": {0, 1},
}
KAFKA_PYTHON = {
    name: module
    for module in (kafka.protocol.producer, kafka.protocol.consumer, kafka.protocol.metadata)
    for name in NAMED
    if hasattr(module, f"{name}Response")
}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafkas]:
    with kafkas(tmp_path_factory.mktemp("classes")) as running:
        yield running


def header_of(name: str, version: int) -> RequestHeader:
    return RequestHeader(NAMED[name], version, 77, "me", 0)


def asked_of(name: str, version: int, seed: int = 0) -> tuple[codec.Values, bytes]:
    message = schemas().request(NAMED[name], version)
    values = some(message.fields, version, random.Random(f"{name}-{version}-{seed}"))
    if name == "Produce":
        values["Acks"] = -1  # with 0 nobody is answered
    return values, codec.write(message, version, values)


def answer_of(name: str, version: int) -> bytes:
    message = schemas().response(NAMED[name], version)
    values = some(message.fields, version, random.Random(f"{name}-{version}"))
    return codec.write(message, version, values)


def framed(name: str, version: int, body: bytes) -> bytes:
    flexible = version in schemas().response(NAMED[name], version).flexible
    return frame_of(header_of(name, version), flexible, body)


def head_bytes(name: str, version: int) -> int:
    return len(framed(name, version, b""))


def error_answer(name: str, version: int) -> bytes:
    """What the gate makes of it."""
    header = header_of(name, version)
    if name == "Metadata":
        told = framed(name, version, answer_of(name, version))
        return spoilt(schemas(), header, told, NOT_LEADER)
    return declined(schemas(), header, asked_of(name, version)[0], NOT_LEADER)


def kio_answer(name: str, version: int) -> Any:
    """The class of its answers; None for a version that it does not have."""
    words = "".join(f"_{one.lower()}" if one.isupper() else one for one in name).strip("_")
    try:
        module = importlib.import_module(f"kio.schema.{words}.v{version}.response")
    except ModuleNotFoundError:
        return None
    return getattr(module, f"{name}Response")


@pytest.mark.parametrize(("name", "version"), REFUSED)
def test_an_error_answer_is_that_of_kafkas_own_classes(
    classes: Kafkas, name: str, version: int
) -> None:
    for seed, error in enumerate(ERRORS):
        asked, body = asked_of(name, version, seed)
        assert classes.ask("request", name, version, body) == body

        frame = declined(schemas(), header_of(name, version), asked, error)

        theirs = classes.ask("refuse", name, version, body, error)
        assert frame == framed(name, version, theirs)


@pytest.mark.parametrize(("name", "version"), SPOILT)
def test_an_error_in_a_brokers_answer_is_where_kafkas_own_classes_have_it(
    classes: Kafkas, name: str, version: int
) -> None:
    body = answer_of(name, version)

    frame = spoilt(schemas(), header_of(name, version), framed(name, version, body), NOT_LEADER)

    assert frame == framed(name, version, classes.ask("spoil", name, version, body, NOT_LEADER))


@pytest.mark.parametrize(("name", "version"), every_api())
def test_an_answer_is_read_and_written_as_by_kafkas_own_classes(
    classes: Kafkas, name: str, version: int
) -> None:
    body = answer_of(name, version)

    assert classes.ask("response", name, version, body) == body


@pytest.mark.parametrize(("name", "version"), every_api())
def test_kio_reads_an_error_answer_whole_and_writes_the_same_bytes(name: str, version: int) -> None:
    answer = kio_answer(name, version)
    if answer is None:
        assert version in NOT_IN_KIO.get(name, ()), f"kio has no {name} {version}"
        return
    assert version not in NOT_IN_KIO.get(name, ()), f"kio has {name} {version} now"
    frame = error_answer(name, version)

    read, length = entity_reader(answer)(frame, head_bytes(name, version))

    assert length == len(frame) - head_bytes(name, version)
    assert framed(name, version, kio_write(read)) == frame


@pytest.mark.parametrize(("name", "version"), every_api())
def test_kafka_python_reads_an_error_answer_whole_and_writes_the_same_bytes(
    name: str, version: int
) -> None:
    answer = getattr(KAFKA_PYTHON.get(name), f"{name}Response", None)
    if answer is None or version > answer.max_version:
        assert version in NOT_IN_KAFKA_PYTHON.get(name, ()), f"it has no {name} {version}"
        return
    assert version not in NOT_IN_KAFKA_PYTHON.get(name, ()), f"it has {name} {version} now"
    frame = error_answer(name, version)

    read = answer.decode(frame, version=version, header=True, framed=True)

    assert read.header.correlation_id == 77
    assert read.encode(header=True, framed=True) == frame
