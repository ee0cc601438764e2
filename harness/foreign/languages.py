"""How an adapter of each language is built, in a directory of its own, and what starts it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

Line = Sequence[str]
VERSION_S = 30


@dataclass(frozen=True, slots=True)
class Known:
    """A client that has an adapter."""

    name: str
    folder: str  # of adapters/
    package: str  # as those call it who keep its versions
    language: Language


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    folder: str  # of adapters/: what its adapters share
    builds: Sequence[str]  # programs that are needed to build one, and
    runs: Sequence[str]  # to run it
    steps: Callable[[Path, Known, str], Sequence[Line]]  # of a version, "" for the locked one
    command: Callable[[Path, Known], Line]
    made_for: Callable[[], str] = lambda: ""  # besides its sources: another one is built anew


def _go(home: Path, known: Known, version: str) -> Sequence[Line]:
    go = ("go", "-C", str(home / known.folder))
    other = [(*go, "get", f"{known.package}@v{version}"), (*go, "mod", "tidy")] if version else []
    return [*other, (*go, "build", "-trimpath", "-o", str(home / "adapter"), ".")]


def _node(home: Path, known: Known, version: str) -> Sequence[Line]:
    """No script of a package runs; one that this Node is too old for is refused."""
    words = ["--prefix", str(home / known.folder), "--ignore-scripts", "--engine-strict"]
    words += ["--no-audit", "--no-fund"]
    if version:
        return [("npm", "install", *words, "--save-exact", f"{known.package}@{version}")]
    return [("npm", "ci", *words)]


def _compiled(home: Path, known: Known, version: str) -> Sequence[Line]:
    """What a package has in C and C++ is compiled by the adapter's own program."""
    build = ("node", str(home / known.folder / "build.mjs"))
    installed = _node(home, known, version)
    return [*installed, (*build, "library"), (*build, "binding", sys.executable)]


def _python(home: Path, known: Known, version: str) -> Sequence[Line]:
    venv = home / "venv"
    install = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    install += ["install", "-q", "--only-binary=:all:"]
    name = f"requirements-{version}.lock" if version else "requirements.lock"
    lock = home / known.folder / name
    locked = ["--require-hashes", "--no-deps", "-r", str(lock)]
    what = locked if lock.exists() or not version else [f"{known.package}=={version}"]
    return [(sys.executable, "-m", "venv", "--clear", str(venv)), (*install, *what)]


def _rust(home: Path, known: Known, version: str) -> Sequence[Line]:
    """What the compiler leaves is taken away: it is a hundred times what it makes."""
    folder, made = home / known.folder, home / "target"
    package = ("--manifest-path", str(folder / "Cargo.toml"))
    lock = (sys.executable, str(home / known.language.folder / "lock.py"), str(folder))
    other = [("cargo", "add", *package, f"{known.package}@={version}")] if version else []
    locked = () if version else ("--locked",)
    build = ("cargo", "build", "--release", *locked, *package, "--target-dir", str(made))
    program = str(made / "release" / "adapter")
    return [lock, *other, build, ("mv", program, str(home)), ("rm", "-r", str(made))]


def _version_of(program: str) -> str:
    """What it says of itself; "" where it is not there. Not kept: the PATH may change."""
    found = shutil.which(program)
    if found is None:
        return ""
    words = [found, "--version"]
    said = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        timeout=VERSION_S,
        env={**os.environ},
    )
    return said.stdout.strip()


GO = Language("Go", "go", ("go",), (), _go, lambda home, _: (str(home / "adapter"),))
NODE = Language(
    "Node.js",
    "node",
    ("npm",),
    ("node",),
    _node,
    lambda home, known: ("node", str(home / known.folder / "adapter.mjs")),
    lambda: _version_of("node"),
)
COMPILED = replace(
    NODE,
    name="Node.js and C++",
    builds=("npm", "node", "cc", "c++", "make"),
    steps=_compiled,
)
RUST = Language(
    "Rust",
    "rust",
    ("cargo", "cc", "make"),
    (),
    _rust,
    lambda home, _: (str(home / "adapter"),),
)
PYTHON = Language(
    "Python",
    "python",
    (),
    (),
    _python,
    lambda home, known: (
        str(home / "venv" / "bin" / "python"),
        "-E",
        str(home / "python" / "program.py"),
        str(home / known.folder / "adapter.py"),
    ),
    lambda: f"{sys.version}\n{sys.base_prefix}",
)
LANGUAGES = (GO, NODE, COMPILED, PYTHON, RUST)

KNOWN = {
    known.name: known
    for known in (
        Known("franz-go", "franz_go", "github.com/twmb/franz-go", GO),
        Known("sarama", "sarama", "github.com/IBM/sarama", GO),
        Known("kafka-go", "kafka_go", "github.com/segmentio/kafka-go", GO),
        Known("kafkajs", "kafkajs", "kafkajs", NODE),
        Known("platformatic", "platformatic", "@platformatic/kafka", NODE),
        Known("confluent-js", "confluent_js", "@confluentinc/kafka-javascript", COMPILED),
        Known("kafka-python", "kafka_python", "kafka-python", PYTHON),
        Known("aiokafka", "aiokafka", "aiokafka", PYTHON),
        Known("rdkafka", "rdkafka", "rdkafka", RUST),
        Known("confluent-kafka", "confluent_kafka", "confluent-kafka", PYTHON),
    )
}
