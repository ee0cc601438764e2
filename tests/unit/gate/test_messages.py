"""Kafka's messages by Kafka's descriptions of them, against kio, which has its own of each."""

from __future__ import annotations

import importlib
import io
import itertools
import pkgutil
import random
import types
import typing
import uuid
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, cast

import kio.schema
import pytest
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer

from highwater.harness.gate.headers import HEARTBEAT, RequestHeader
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.answers import APIS, partitions_asked, refusal
from highwater.harness.gate.messages.declining import declined, misled, read_request, spoilt
from highwater.harness.gate.messages.errors import CODES, KNOWN
from highwater.harness.gate.messages.schemas import Message, Schemas
from highwater.harness.gate.primitives import DecodeError, Reader
from highwater.harness.versions.jars import message_jars

METADATA = 3
LEADER_NOT_AVAILABLE = 5
# What kio has that is no request and no answer, or that Kafka has removed from both jars.
NOT_SENT = {"errors", "index", "types", "request_header", "response_header"}


@cache
def schemas() -> Schemas:
    return Schemas(message_jars())


def modules() -> list[tuple[str, int]]:
    names = [each.name for each in pkgutil.iter_modules(kio.schema.__path__)]
    found = []
    for name in sorted(set(names) - NOT_SENT):
        package = importlib.import_module(f"kio.schema.{name}")
        found += [
            (name, int(each.name[1:]))
            for each in pkgutil.iter_modules(package.__path__)
            if each.name.startswith("v")
        ]
    return found


def entities(name: str, version: int) -> dict[str, Any]:
    """Its request and its answer; nothing for what is neither."""
    found = {}
    for part in ("request", "response"):
        try:
            module = importlib.import_module(f"kio.schema.{name}.v{version}.{part}")
        except ModuleNotFoundError:
            continue
        wanted = "".join(name.split("_")) + part
        found[part] = next(
            each
            for each in vars(module).values()
            if isinstance(each, type) and each.__name__.lower() == wanted
        )
    return found


def some(wanted: Any, chance: random.Random) -> Any:
    """A value of a type of kio's, as `chance` has it."""
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in {typing.Union, types.UnionType}:
        within = next(each for each in inner if each is not type(None))
        return None if chance.random() < 0.3 else some(within, chance)
    if origin is tuple:
        return tuple(some(inner[0], chance) for _ in range(chance.randrange(3)))
    if is_dataclass(wanted):
        hints = typing.get_type_hints(wanted)
        made = cast("Callable[..., Any]", wanted)
        return made(
            **{name: some(each, chance) for name, each in hints.items() if name[:2] != "__"}
        )
    return plain(wanted, chance)


def plain(wanted: Any, chance: random.Random) -> Any:
    made: dict[str, Callable[[], Any]] = {
        "bool": lambda: chance.random() < 0.5,
        "UUID": lambda: uuid.UUID(int=chance.getrandbits(128)),
        "ErrorCode": lambda: chance.choice(list(ErrorCode)),
        "timedelta": lambda: timedelta(milliseconds=chance.randrange(1 << 30)),
        "TZAware": lambda: datetime.fromtimestamp(chance.randrange(1 << 31), UTC),
        "float": chance.random,
        "bytes": lambda: chance.randbytes(chance.randrange(9)),
        "str": lambda: "".join(chance.choices("abcü€", k=chance.randrange(5))),
        "int": lambda: chance.randrange(100),
    }
    return next(made[base.__name__] for base in wanted.__mro__ if base.__name__ in made)()


def kio_write(entity: Any) -> bytes:
    stream = io.BytesIO()
    entity_writer(type(entity))(stream, entity)
    return stream.getvalue()


def described(entity_type: Any, part: str, version: int) -> Message:
    find = schemas().request if part == "request" else schemas().response
    return find(entity_type.__api_key__, version)


@pytest.mark.parametrize("seed", range(3))
def test_every_message_of_every_version_is_read_and_written_as_kio_has_it(seed: int) -> None:
    chance, compared = random.Random(seed), 0

    for name, version in modules():
        for part, entity_type in entities(name, version).items():
            message = described(entity_type, part, version)
            written = kio_write(some(entity_type, chance))
            reader = Reader(written, 0, version in message.flexible)
            values = codec.read(message, version, reader)
            assert reader.position == len(written), (name, version, part)
            assert codec.write(message, version, values) == written, (name, version, part)
            compared += 1

    assert compared > 600


def asked_and_answers() -> list[tuple[str, int]]:
    return [
        (name, version)
        for name, version in modules()
        if (both := entities(name, version)) and both["request"].__api_key__ in APIS
    ]


def errors_in(entity: Any) -> list[int]:
    """The innermost error codes."""
    if isinstance(entity, tuple):
        return [each for one in entity for each in errors_in(one)]
    if not is_dataclass(entity):
        return []
    values = {name: getattr(entity, name) for name in entity.__dataclass_fields__}
    within = [each for value in values.values() for each in errors_in(value)]
    own = [value for name, value in values.items() if name.endswith("error_code")]
    return within or [int(each) for each in own]


@pytest.mark.parametrize(("name", "version"), asked_and_answers())
def test_an_answer_that_refuses_says_the_error_of_all_that_was_asked(
    name: str, version: int
) -> None:
    chance, both = random.Random(f"{name}-{version}"), entities(name, version)
    asked = some(both["request"], chance)
    header = RequestHeader(both["request"].__api_key__, version, 77, "me", 0)
    flexible = both["request"].__flexible__
    raw = (b"\0" if flexible else b"") + kio_write(asked)

    content = read_request(schemas(), raw, header)
    frame = declined(schemas(), header, content, LEADER_NOT_AVAILABLE)

    head = 8 + (1 if both["response"].__flexible__ else 0)
    assert frame[:8] == (len(frame) - 4).to_bytes(4, "big") + (77).to_bytes(4, "big")
    answer, read_bytes = entity_reader(both["response"])(frame[head:], 0)
    assert read_bytes == len(frame) - head
    said = errors_in(answer)
    assert set(said) <= {LEADER_NOT_AVAILABLE}
    partitions = list(partitions_asked(content))
    assert said or not partitions
    if len(said) > 1:
        assert len(said) == len(partitions) or name in {"find_coordinator", "offset_fetch"}


def test_metadata_of_a_broker_keep_what_they_say_and_have_the_error() -> None:
    for version in range(13):
        entity_type = entities("metadata", version)["response"]
        tries = (some(entity_type, random.Random(f"{version}-{seed}")) for seed in range(99))
        told = next(each for each in tries if errors_in(each))
        head = (77).to_bytes(4, "big") + (b"\0" if entity_type.__flexible__ else b"")
        body = head + kio_write(told)
        header = RequestHeader(METADATA, version, 77, "me", 0)

        frame = spoilt(schemas(), header, len(body).to_bytes(4, "big") + body, LEADER_NOT_AVAILABLE)

        answer, _ = entity_reader(entity_type)(frame[4 + len(head) :], 0)
        assert answer.brokers == told.brokers
        assert set(errors_in(answer)) <= {LEADER_NOT_AVAILABLE}
        assert len(errors_in(answer)) == len(errors_in(told))


def test_metadata_name_another_leader_where_it_has_a_replica_and_nothing_else_changes() -> None:
    changed = 0
    for version, seed in itertools.product(range(13), range(20)):
        entity_type = entities("metadata", version)["response"]
        told = some(entity_type, random.Random(f"{version}-{seed}"))
        head = (77).to_bytes(4, "big") + (b"\0" if entity_type.__flexible__ else b"")
        body = head + kio_write(told)
        header = RequestHeader(METADATA, version, 77, "me", 0)
        before = [each for topic in told.topics for each in topic.partitions]
        leader = next((int(each.replica_nodes[0]) for each in before if each.replica_nodes), 1)

        frame = misled(schemas(), header, len(body).to_bytes(4, "big") + body, leader)

        answer, _ = entity_reader(entity_type)(frame[4 + len(head) :], 0)
        after = [each for topic in answer.topics for each in topic.partitions]
        for one, other in zip(before, after, strict=True):
            is_meant = leader in one.replica_nodes
            changed += is_meant
            expected = replace(one, leader_id=type(one.leader_id)(leader)) if is_meant else one
            assert other == expected
    assert changed > 50


def test_an_answer_that_names_no_leader_is_refused() -> None:
    header = RequestHeader(HEARTBEAT, 0, 77, "me", 0)

    with pytest.raises(DecodeError, match="does not say who leads"):
        misled(schemas(), header, (6).to_bytes(4, "big") + (77).to_bytes(4, "big") + bytes(2), 1)


def test_a_version_that_no_jar_has_is_told() -> None:
    with pytest.raises(DecodeError, match="no jar describes the request of api 0, version 99"):
        schemas().request(0, 99)


def test_a_field_that_a_message_has_not_is_refused() -> None:
    message = schemas().response(0, 3)

    with pytest.raises(KeyError, match="Respones"):
        codec.write(message, 3, {"Respones": []})


def test_errors_have_the_codes_that_kio_knows() -> None:
    codes = {each.name: each.value for each in ErrorCode if each.value}

    assert {name.upper(): code for name, code in codes.items()}.items() <= KNOWN.items()
    assert CODES["NOT_LEADER_OR_FOLLOWER"] == KNOWN["NOT_LEADER_FOR_PARTITION"]


def test_what_refuses_is_refused_for_what_is_no_request_of_it() -> None:
    with pytest.raises(KeyError):
        refusal(METADATA, 9, {}, LEADER_NOT_AVAILABLE)


def test_a_tagged_field_that_says_what_is_understood_without_it_is_left_out() -> None:
    message, nobody = schemas().response(0, 10), {"LeaderId": -1, "LeaderEpoch": -1}
    told = {"Index": 0, "CurrentLeader": nobody}

    def written(partition: codec.Values) -> bytes:
        topics = [{"Name": "t", "PartitionResponses": [partition]}]
        return codec.write(message, 10, {"Responses": topics, "NodeEndpoints": []})

    assert written(told) == written({"Index": 0})
    assert written(told | {"CurrentLeader": nobody | {"LeaderId": 1}}) != written({"Index": 0})
