"""Kafka's own descriptions of its messages: JSON files in the jar of kafka-clients, and of what
the log of metadata has, in that of kafka-metadata.

The format is described in clients/src/main/resources/common/message/README.md of Kafka's source.
No jar knows all versions: 4.0 has given up old ones (KIP-896), so several are asked in turn.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from highwater.harness.gate.primitives import DecodeError

_FOLDERS = ("common/message/", "common/metadata/")
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_EVER = 1 << 15


@dataclass(frozen=True, slots=True)
class Versions:
    """Both ends are inclusive; `least` above `most` means none."""

    least: int
    most: int

    def __contains__(self, version: int) -> bool:
        return self.least <= version <= self.most

    @classmethod
    def read(cls, text: str | None) -> Versions:
        """`3+`, `2-7`, `5`, `none`, or nothing at all."""
        if text in {None, "", "none"}:
            return cls(1, 0)
        least, _, most = str(text).removesuffix("+").partition("-")
        return cls(int(least), _EVER if str(text).endswith("+") else int(most or least))


@dataclass(frozen=True, slots=True)
class Field:
    """`kind` is a primitive type or the name of a struct, whose fields are `fields`."""

    name: str
    kind: str
    is_array: bool
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    default: Any
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A request or an answer in all versions that one jar knows."""

    name: str
    valid: Versions
    flexible: Versions
    fields: tuple[Field, ...]


class Schemas:
    """What some jars of kafka-clients say of requests and answers; the first that knows is asked.

    Reads the jars when it is asked first. Raises OSError or zipfile.BadZipFile where one is none.
    """

    def __init__(self, jars: Sequence[Path]) -> None:
        self._jars = jars

    @cached_property
    def _messages(self) -> Mapping[tuple[int, str], list[Message]]:
        found: dict[tuple[int, str], list[Message]] = {}
        for jar in self._jars:
            for written in _descriptions(jar):
                if written["type"] in {"request", "response", "metadata"}:
                    place = (written["apiKey"], written["type"])
                    found.setdefault(place, []).append(_message(written))
        return found

    def load(self) -> None:
        """Read the jars now, and not when the first message comes."""
        _ = self._messages

    def request(self, api_key: int, version: int) -> Message:
        return self._find(api_key, "request", version)

    def response(self, api_key: int, version: int) -> Message:
        return self._find(api_key, "response", version)

    def of_metadata(self, api_key: int, version: int) -> Message:
        """A record of the log of metadata, by its number (KIP-631)."""
        return self._find(api_key, "metadata", version)

    def _find(self, api_key: int, kind: str, version: int) -> Message:
        """Raises DecodeError where no jar describes this version."""
        for message in self._messages.get((api_key, kind), ()):
            if version in message.valid:
                return message
        raise DecodeError(f"no jar describes the {kind} of api {api_key}, version {version}")


def _descriptions(jar: Path) -> Iterator[dict[str, Any]]:
    with zipfile.ZipFile(jar) as opened:
        for name in sorted(opened.namelist()):
            if name.startswith(_FOLDERS) and name.endswith(".json"):
                text = opened.read(name).decode("utf-8")
                yield json.loads(_COMMENT.sub(lambda found: found[1] or "", text))


def _message(written: Mapping[str, Any]) -> Message:
    structs = {each["name"]: each["fields"] for each in written.get("commonStructs", ())}
    return Message(
        name=written["name"],
        valid=Versions.read(written["validVersions"]),
        flexible=Versions.read(written.get("flexibleVersions")),
        fields=_fields(written.get("fields", ()), structs),
    )


def _fields(
    written: Sequence[Mapping[str, Any]], structs: dict[str, Sequence[Mapping[str, Any]]]
) -> tuple[Field, ...]:
    return tuple(_field(each, structs) for each in written)


def _field(written: Mapping[str, Any], structs: dict[str, Sequence[Mapping[str, Any]]]) -> Field:
    kind: str = written["type"].removeprefix("[]")
    within = written.get("fields") or structs.get(kind, ())
    return Field(
        name=written["name"],
        kind=kind,
        is_array=written["type"].startswith("[]"),
        versions=Versions.read(written["versions"]),
        nullable=Versions.read(written.get("nullableVersions")),
        tagged=Versions.read(written.get("taggedVersions")),
        tag=written.get("tag", -1),
        default=written.get("default"),
        fields=_fields(within, structs),
    )
