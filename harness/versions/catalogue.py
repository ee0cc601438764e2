"""The Kafkas that can be named, read from `catalogue.toml`."""

from __future__ import annotations

import difflib
import functools
import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.versions.cache import adopted_lock
from highwater.harness.versions.facts import Facts
from highwater.harness.versions.numbers import in_range, release_of

MODES = {"zookeeper": "zk", "kraft": "kraft"}
RELEASE = re.compile(  # a whole version, and no candidate
    r"0(\.[0-9]{1,4}){3}|[1-9][0-9]{0,3}(\.[0-9]{1,4}){2}"
)
MOST_NAMED = 5  # who has more to choose from is told how to list them


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One release: its line of the catalogue, and what the recipe for it says."""

    version: str
    scala: str
    modes: tuple[str, ...]
    add: tuple[str, ...] = ()
    replace: Mapping[str, str] = field(default_factory=dict)
    built: date | None = None  # None: of a distribution of the user's own
    ladder: bool = False  # one of those that `matrix` chooses from

    @property
    def coordinate(self) -> str:
        return f"org.apache.kafka:kafka_{self.scala}:{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kafka(Facts):
    """One Kafka in one mode, and what follows from that."""

    row: Row
    mode: str  # zookeeper, kraft
    unpacked: Path | None = None  # a distribution of the user's own instead of the locked jars

    @property
    def version(self) -> str:
        return self.row.version

    @property
    def name(self) -> str:
        """As the user names it: the mode only where it is not the version's first one.

        A build of the user's own is told from the release by its directory.
        """
        mode = "" if self.mode == self.row.modes[0] else f"-{self.suffix}"
        build = f"@{self.unpacked.name}" if self.unpacked else ""
        return f"{self.version}{mode}{build}"

    @property
    def suffix(self) -> str:
        return MODES[self.mode]

    @property
    def kraft(self) -> bool:
        return self.mode == "kraft"

    @property
    def line(self) -> str:
        """The releases whose protocol and formats are its own: "0.10.2", "2.8"."""
        parts = self.version.split(".")
        return ".".join(parts[: 3 if parts[0] == "0" else 2])

    @property
    def in_kraft(self) -> Kafka:
        """The same binaries in the other mode."""
        return replace(self, mode="kraft")


@functools.cache
def _catalogue() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def rows() -> tuple[Row, ...]:
    """Every release of the catalogue, oldest first."""
    releases: Mapping[str, Mapping[str, Any]] = _catalogue()["releases"]
    return tuple(row_of(version, **facts) for version, facts in releases.items())


def row_of(version: str, built: date | None = None, *, ladder: bool = False) -> Row:
    """A release as the recipe for its line has it; raises UsageError where there is none."""
    for recipe in _catalogue()["recipe"]:
        if in_range(version, recipe["releases"]):
            return Row(
                version=version,
                scala=recipe["scala"],
                modes=tuple(recipe["modes"]),
                add=tuple(recipe.get("add", ())),
                replace=recipe.get("replace", {}),
                built=built,
                ladder=ladder,
            )
    raise UsageError(f"no recipe of catalogue.toml is for Kafka {version}: it is too old")


def every_kafka() -> list[Kafka]:
    """Every release of the catalogue in each of its modes, oldest first."""
    return [Kafka(row=row, mode=mode) for row in rows() for mode in row.modes]


def ladder_kafkas() -> list[Kafka]:
    """Those of them that are marked for the ladder."""
    return [kafka for kafka in every_kafka() if kafka.row.ladder]


def find_kafka(name: str) -> Kafka:
    """The Kafka that a user means by "3.9.1" (its first mode), "3.9.1-zk" or "3.9.1-kraft".

    One that is not in the catalogue is found too where its jars were locked before (see
    `versions/adopting.py`). Raises UsageError naming the nearest ones.
    """
    for kafka in itertools.chain(every_kafka(), _adopted(name)):
        if name in {kafka.name, f"{kafka.version}-{kafka.suffix}"}:
            return kafka
    names = [kafka.name for kafka in every_kafka()]
    near = [each for each in names if name and each.startswith(name)][-MOST_NAMED:]
    near = near or _beside(name) or difflib.get_close_matches(name, names, n=3, cutoff=0.3)
    told = f"; the nearest are {', '.join(near)}" if near else ", and none is called like it"
    raise UsageError(
        f"no Kafka {name!r:.120} in the catalogue{told} "
        "(all of them: highwater list versions; a build of your own: --kafka-dir PATH)"
    )


def _beside(name: str) -> list[str]:
    """The releases that are nearest by their numbers to what looks like one."""
    if not re.fullmatch(r"\d{1,4}(\.\d{1,4}){1,3}", name):
        return []
    wanted = [int(each) for each in name.split(".")]

    def apart(kafka: Kafka) -> list[int]:
        """Zeros for numbers that are the same, from the left on."""
        own = [int(each) for each in kafka.version.split(".")]
        return [abs(one - other) for one, other in zip(own, wanted, strict=False)]

    firsts = {kafka.version: kafka for kafka in reversed(every_kafka())}
    return [kafka.name for kafka in sorted(firsts.values(), key=apart)][:3]


def _adopted(name: str) -> Iterator[Kafka]:
    """A release that is in no line, in each of its modes, if this machine has a lock of it."""
    version = name.partition("-")[0]
    lock = adopted_lock(version)
    if not RELEASE.fullmatch(version) or not lock.is_file():
        return
    built = re.search(r"^# Built on (\S+)\.$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    row = row_of(version, date.fromisoformat(built[1]) if built else None)
    yield from (Kafka(row=row, mode=mode) for mode in row.modes)


def unpacked_kafka(directory: Path, mode: str | None = None) -> Kafka:
    """A distribution of the user's own, its version read from the name of its kafka jar.

    Raises UsageError when there is no kafka_<scala>-<version>.jar in `directory`/libs.
    """
    directory = directory.absolute()  # brokers run in directories of their own
    libs = directory / "libs"
    for jar in sorted(libs.glob("kafka_*.jar")):
        match = re.fullmatch(r"kafka_(\d+\.\d+)-(\d[^-]*(?:-SNAPSHOT)?)\.jar", jar.name)
        if match:
            scala, version = match.groups()
            kraft, zookeeper = release_of(version) >= (3, 3), release_of(version) < (4,)
            modes = ("kraft",) * kraft + ("zookeeper",) * zookeeper
            if mode is not None and mode not in modes:
                raise UsageError(f"Kafka {version} in {directory} has no {mode} mode")
            row = Row(version=version, scala=scala, modes=modes)
            return Kafka(row=row, mode=mode or modes[0], unpacked=directory)
    raise UsageError(
        f"no kafka_<scala>-<version>.jar in {libs}; expected an unpacked Kafka distribution"
    )
