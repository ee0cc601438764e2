"""Who else reads and writes messages: Kafka's own classes, and any message to ask them about."""

from __future__ import annotations

import random
import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from highwater.harness.gate import headers
from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.codec import Values
from highwater.harness.gate.messages.schemas import Field, Schemas
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.jvm.java import find_java
from highwater.harness.versions.catalogue import every_kafka
from highwater.harness.versions.jars import jars_named, message_jars

PROGRAM = Path(__file__).parent / "programs" / "ErrorAnswers.java"
_LETTERS = "abcdefghü€"


@cache
def schemas() -> Schemas:
    return Schemas(message_jars())


@cache
def versions_of(api_key: int, of: Schemas) -> list[int]:
    """Every version of its requests that is described."""
    found = []
    for version in range(99):
        try:
            of.request(api_key, version)
        except DecodeError:
            continue
        found.append(version)
    return found


def every_api() -> list[tuple[str, int]]:
    """Each api that can be answered with an error, in each version that the gate knows."""
    return [(name, each) for name, key in NAMED.items() for each in versions_of(key, schemas())]


class Kafkas:
    """Kafka's own classes, of each of the locked jars, as processes that are asked by lines."""

    def __init__(self, running: Sequence[tuple[Schemas, subprocess.Popen[str]]]) -> None:
        self._running = running

    def ask(self, word: str, name: str, version: int, body: bytes, error: int = 0) -> bytes:
        for described, process in self._running:
            if version in versions_of(NAMED[name], described):
                return _asked(process, f"{word} {NAMED[name]} {version} {error} {body.hex()}")
        raise AssertionError(f"no jar has {name} {version}")


def _asked(process: subprocess.Popen[str], line: str) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    said = process.stdout.readline()
    assert said[:1] not in {"", "!"}, f"of {line} Kafka's classes say {said}"
    return bytes.fromhex(said)


@contextmanager
def kafkas(classes: Path) -> Iterator[Kafkas]:
    """`classes` is where the program is compiled to, against each jar: packages have moved."""
    jars, java = message_jars(), Path(find_java().path)
    logging = jars_named(every_kafka()[-1], ["slf4j-api"])[0]
    running = []
    try:
        for jar in reversed(jars):
            into = classes / jar.stem
            javac = [str(java.with_name("javac")), "-d", str(into), "-cp", str(jar), str(PROGRAM)]
            subprocess.run(javac, check=True)
            line = [str(java), "-cp", f"{into}:{jar}:{logging}", PROGRAM.stem]
            process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii"
            )
            running.append((Schemas([jar]), process))
        yield Kafkas(running)
    finally:
        for _, process in running:
            process.communicate()
    assert [process.returncode for _, process in running] == [0] * len(jars)


def some(fields: Sequence[Field], version: int, chance: random.Random, *, most: int = 3) -> Values:
    """A message with these fields, as `chance` has it; lists have one to `most` entries."""
    found: Values = {}
    for field in fields:
        if version not in field.versions:
            continue
        if version in field.tagged and chance.random() < 0.5:
            continue
        may_lack = version in field.nullable and field.kind != "records"
        if may_lack and chance.random() < 0.2:
            found[field.name] = None
        elif field.is_array:
            count = chance.randint(1, most)
            found[field.name] = [_one(field, version, chance, most) for _ in range(count)]
        else:
            found[field.name] = _one(field, version, chance, most)
    return found


def _one(field: Field, version: int, chance: random.Random, most: int) -> Any:
    if field.fields:
        return some(field.fields, version, chance, most=most)
    kinds: dict[str, Callable[[], Any]] = {
        "bool": lambda: chance.random() < 0.5,
        "int8": lambda: chance.randrange(2),
        "int16": lambda: chance.randrange(90),  # what kio knows as error codes
        "uint16": lambda: chance.randrange(1 << 16),
        "int32": lambda: chance.randrange(1 << 31),
        "int64": lambda: chance.randrange(1 << 63),
        "float64": chance.random,
        "uuid": lambda: uuid.UUID(int=chance.getrandbits(128)),
        "string": lambda: "".join(chance.choices(_LETTERS, k=12)),
        "bytes": lambda: chance.randbytes(chance.randrange(9)),
        "records": lambda: chance.randbytes(chance.randrange(9)),
    }
    return kinds[field.kind]()


def frame_of(header: headers.RequestHeader, flexible: bool, body: bytes) -> bytes:
    """An answer as it stands on a connection."""
    head = header.correlation_id.to_bytes(4, "big") + (b"\0" if flexible else b"")
    return (len(head) + len(body)).to_bytes(4, "big") + head + body
