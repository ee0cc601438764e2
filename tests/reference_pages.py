"""Writes docs/faults.md, docs/cli.md and docs/options.md: each fault, command and option."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from tests.unit.faults.every_fault import FAULTS

from highwater.faults import targets, voters
from highwater.harness.model import TopicPartition
from highwater.listing import fault_rows
from highwater.pytest_plugin import words
from highwater.scenarios.catalogue import scenarios

# In the directory of the checkout:
FAULTS_PAGE = Path("docs", "faults.md")
CLI_PAGE = Path("docs", "cli.md")
OPTIONS_PAGE = Path("docs", "options.md")

WRITTEN = "Written by `python -m tests.reference_pages`; change the code, not this page."
FAULTS_HEAD = f"""\
# Faults

{WRITTEN}

`play.inject(fault)` lets something go wrong until `play.heal()`, or the end of the play, and
returns what the fault has to show. A fault that did not take effect raises. In the examples
`orders` is a topic, 1 leads `orders[0]`, 2 and 3 follow, and 4 is a broker that has been stopped;
`app` is an application of the user's (`play.application`).
Unit tests inject each example, into a cluster that breaks each step of it in turn; `tests/faults`
has every fault take effect on real brokers.
"""
FIXTURES = """\
What the fixtures are, and what becomes of a test that proved nothing:
[README](../README.md#a-chaos-test-of-your-own-in-ten-lines)."""
ENVIRONMENT = {
    "HIGHWATER_BASE_IMAGE": "the image that images of Kafka are built on (`--backend docker`)",
    "HIGHWATER_CACHE": "where verified jars are kept; default: the user's directory for caches",
    "HIGHWATER_MAVEN_MIRROR": "a mirror of Maven Central to download jars from, by its address; "
    "they are checked against the same checksums",
    "HIGHWATER_SPARK_MASTER": "where Spark judges, such as `local[*]` or `spark://host:7077`; "
    "default: two cores of this machine",
}


class Shown:
    """Stands for `orders[0]` of the examples."""

    where = TopicPartition("orders")


def examples() -> dict[str, Any]:
    """A fault of each kind, by the kind's name."""
    return {type(each).__name__: each for each in FAULTS}


def spelled(value: object) -> str:
    """As a play would write it."""
    if isinstance(value, TopicPartition):
        return f"{value.topic}[{value.partition}].where"
    if isinstance(value, str):
        return json.dumps(value)
    if inspect.isclass(value):
        return value.__name__
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    if is_dataclass(value) and not isinstance(value, type):
        told = [(each, getattr(value, each.name)) for each in fields(value) if each.init]
        said = [f"{each.name}={spelled(to)}" for each, to in told if to != each.default]
        return f"{type(value).__name__}({', '.join(said)})"
    return repr(value)


def classes_in(value: object) -> Iterator[type]:
    """Whose names `spelled` has."""
    if inspect.isclass(value):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from classes_in(each)
    elif is_dataclass(value) and not isinstance(value, TopicPartition):
        yield type(value)
        for each in fields(value):
            yield from classes_in(getattr(value, each.name))


def imports(value: object) -> list[str]:
    """What the example needs, a line each."""
    kinds = {kind for kind in classes_in(value) if kind.__module__.startswith("highwater.")}
    return sorted(f"from {kind.__module__} import {kind.__name__}" for kind in kinds)


def render_faults() -> str:
    return FAULTS_HEAD + "".join(map(_fault, fault_rows())) + _targets()


def _fault(row: Any) -> str:
    example = examples()[row["name"]]
    kind = type(example)
    module = importlib.import_module(kind.__module__)
    said = [
        f"## {row['name']}",
        _text(module),
        _text(kind),
        _parameters(kind),
        "\n".join(["```python", *imports(example), "", f"play.inject({spelled(example)})", "```"]),
        _conditions(row, kind),
    ]
    return "".join(f"\n{part}\n" for part in said if part)


def _text(of: object) -> str:
    doc = inspect.getdoc(of) or ""
    return "" if doc.startswith(f"{getattr(of, '__name__', '')}(") else doc  # dataclass's own


def _parameters(kind: type) -> str:
    told = [each for each in fields(kind) if each.init]
    if not told:
        return "It has no parameters."
    rows = [f"| `{each.name}` | `{_kind(each)}` | {_default(each)} |" for each in told]
    return "\n".join(["| parameter | type | default |", "| --- | --- | --- |", *rows])


def _kind(field: Field[Any]) -> str:
    return str(field.type).replace("|", "or")


def _default(field: Field[Any]) -> str:
    return "required" if field.default is MISSING else f"`{spelled(field.default)}`"


def _conditions(row: Any, kind: type) -> str:
    needs = f" It needs {row['needs']}." if row["needs"] else ""
    so = row["only where this is so"]
    only = f" Only on a Kafka of which this is so: {so}" if so else ""
    where = f"Backends: {row['backends']}.{needs}{only}"
    played = [each.name for each in scenarios() if kind.__name__ in _names(each.play)]
    return where + (f" Played by {', '.join(f'`{name}`' for name in played)}." if played else "")


def _names(play: Callable[..., None]) -> set[str]:
    """Whatever it makes, itself or in the acts that it calls."""
    found, left, read = set[str](), [inspect.unwrap(play)], set[Callable[..., None]]()
    while left:
        read.add(each := left.pop())
        named = {*re.findall(r"\b\w+(?=\()", inspect.getsource(each))}
        found |= {name for name in named if name[0].isupper()}
        called = [
            inspect.unwrap(act) for name in named if callable(act := _known_to(each).get(name))
        ]
        left += [act for act in called if _is_act(act) and act not in read]
    return found


def _known_to(function: Callable[..., Any]) -> Mapping[str, Any]:
    """What its module knows by name."""
    return vars(inspect.getmodule(function))


def _is_act(called: Callable[..., Any]) -> bool:
    return inspect.isfunction(called) and called.__module__.startswith("highwater.scenarios")


def _targets() -> str:
    """Whom `Aimed` can hit."""
    kinds = [
        each
        for module in (targets, voters)
        for each in vars(module).values()
        if is_dataclass(each) and inspect.isclass(each) and hasattr(each, "broker")
    ]
    rows = [f"| `{kind.__name__}{_told(kind)}` | {_first(kind)} |" for kind in kinds]
    head = "\n## Whom Aimed hits\n\n| target | who that is |\n| --- | --- |\n"
    return head + "\n".join(rows) + "\n"


def _told(kind: type) -> str:
    return f"({', '.join(each.name for each in fields(kind))})"


def _first(kind: type) -> str:
    said = _text(kind) or f"The {kind.__name__.lower()} of what is named."
    return " ".join(said.split("\n\n")[0].split())


def render_cli() -> str:
    """What Typer says of our commands."""
    command = [sys.executable, "-m", "typer", "highwater.cli", "utils", "docs", "--name"]
    done = subprocess.run(
        [*command, "highwater", "--title", "Command line"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    title, _, said = done.stdout.partition("\n")
    return f"{title}\n\n{WRITTEN}\n{said.rstrip()}\n"


class _Options:
    """Stands where pytest's parser and its groups do, and keeps what they are told."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def getgroup(self, *_: str) -> _Options:
        return self

    def addoption(self, name: str, **told: Any) -> None:
        takes = "\\|".join(told.get("choices", ())) or told.get("metavar", "")
        self.rows.append(f"| `{name}` | {takes} | {told['help'] % told} |")


def render_options() -> str:
    options = _Options()
    words.add_options(options)  # type: ignore[arg-type]
    environment = [f"| `{name}` | {said} |" for name, said in ENVIRONMENT.items()]
    return "\n".join(
        [
            "# pytest and the environment",
            f"\n{WRITTEN}\n",
            FIXTURES,
            "\n## Options of pytest\n",
            "| option | takes | what for |\n| --- | --- | --- |",
            *options.rows,
            "\n## The marker\n",
            f"```text\n@pytest.mark.{words.MARKER}\n```",
            "\n## Environment variables\n",
            "| variable | what for |\n| --- | --- |",
            *environment,
            "",
        ]
    )


PAGES = {FAULTS_PAGE: render_faults, CLI_PAGE: render_cli, OPTIONS_PAGE: render_options}

if __name__ == "__main__":
    for page, render in PAGES.items():
        page.write_text(render(), encoding="utf-8")
