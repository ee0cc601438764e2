"""Writes docs/articles.md: what five articles say, what Kafka does, and what was measured here.

`python -m tests.articles_page` makes it of docs/articles.toml and of what docs/results/ has.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.counts import count

from highwater.harness.versions.catalogue import ladder_kafkas
from highwater.ladder import Extent, ladder
from highwater.scenarios.catalogue import find_scenario

# In the directory of the checkout:
PAGE = Path("docs", "articles.md")
STATEMENTS = Path("docs", "articles.toml")
RETOLD = Path("docs", "explanation")  # a page for each article, called like it
MEASURED = (  # the second: of scenarios that any client can play, with ours
    Path("docs", "results", "ladder.json"),
    Path("docs", "results", "ours.json"),
)
SHOWN = Path("docs", "results", "shown.json")
OF_CLIENTS = Path("docs", "results", "clients.json")
ELSEWHERE = {  # where the figures of a benchmark stand
    "tests/bench/failover.py::failover": "results.md#"
    "how-long-a-dead-brokers-partitions-have-no-leader",
    "tests/bench/partitioners.py::partitioners": "results.md#where-records-without-a-key-go",
    "tests/bench/acks.py::acks_matrix": "results.md#what-acks-promises-and-what-comes-of-it",
}
STATES = {
    "holds": "so it is",
    "changed": "once, or not always",
    "otherwise": "Kafka does otherwise",
    "inside": "cannot be seen from outside",
    "open": "not shown yet",
}
HEAD = """\
# What articles say, and what Kafka does

Written by `python -m tests.articles_page`; change [articles.toml](articles.toml), not this page.
Five articles started this project. They make {all} statements that can be held against a cluster,
which stand here in our own words. {shown} are shown by a command or a test, {inside} cannot be
seen from outside, and {open} are not shown yet. `5/5` says in how many trials of how many the
scenario's failure was reproduced: `0/5` is five trials in which everything was so as told, `?n`
counts those of them that proved nothing. Each trial also asserts what the scenario's text says.
Commands that begin with `python -m` are for a checkout after `make develop`; a chaos test that
proved nothing was played again, twice at most, and that is not counted.
"""

Statement = Mapping[str, Any]
Cells = Mapping[str, Sequence[Mapping[str, Any]]]  # by scenario


def statements() -> list[Statement]:
    """All of them, by number."""
    found: list[Statement] = tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))["statement"]
    return found


def articles() -> Mapping[str, str]:
    """What the articles are about, by their short names."""
    found: Mapping[str, str] = tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))["articles"]
    return found


def render() -> str:
    """The whole page."""
    told, cells = statements(), measured()
    counted = {state: sum(each["state"] == state for each in told) for state in STATES}
    shown = len(told) - counted["inside"] - counted["open"]
    head = HEAD.format(all=len(told), shown=shown, inside=counted["inside"], open=counted["open"])
    lines = [head]
    for name, about in articles().items():
        mine = [str(each["number"]) for each in told if name in each["articles"]]
        links = ", ".join(f"[{number}](#{number})" for number in mine)
        page = (RETOLD / f"{name}.md").relative_to(PAGE.parent)
        lines.append(f"- *{name}*: {about}, [retold and played]({page}); {links}")
    for each in told:
        number = each["number"]  # the anchor stays when the words of the heading change
        heading = f"## {number}. {each['says']}"
        lines += ["", f'<a id="{number}"></a>', "", heading, "", *_body(each, cells)]
    return "\n".join(lines) + "\n"


def measured(control: str | None = None) -> Cells:
    """What has been played, by scenario, under a control or without any."""
    kept = [json.loads(each.read_text(encoding="utf-8")) for each in MEASURED if each.exists()]
    rows = [row for each in kept for row in each["cells"]]
    return {
        name: [row for row in rows if row["scenario"] == name and row["control"] == control]
        for name in dict.fromkeys(row["scenario"] for row in rows)
    }


def _body(each: Statement, cells: Cells) -> Iterator[str]:
    said = f"**{STATES[each['state']]}.** {each['kafka']}".strip()
    yield f"*{', '.join(each['articles'])}*: {said}"
    names = each.get("shown", [])
    if names:
        yield from ("", "```console", *(command(name) for name in names), "```", "")
        yield from (
            f"- {name} ({find_scenario(name).source}): {_counts(cells.get(name, []))}"
            for name in names
        )
    for told in each.get("controls", []):
        yield from ("", *_of_control(*told.split()))
    for name in each.get("clients", []):
        yield from ("", *_of_clients(name))
    tests = each.get("tests", [])
    if tests:
        commands = dict.fromkeys(_played_by(test) for test in tests)
        yield from ("", "```console", *commands, "```", "")
        yield from (f"- {_link(test)}{_ended(test)}" for test in tests)


def kafkas_of(name: str) -> tuple[str, ...]:
    """Those of the ladder with its ends: see `Extent.ENDS`."""
    cells = ladder([find_scenario(name)], ladder_kafkas(), Extent.ENDS)
    return tuple(dict.fromkeys(cell.kafka.name for cell in cells if not cell.control))


def command(name: str) -> str:
    """What plays a scenario on them."""
    return " ".join(["highwater compare -s", name, *(f"-k {each}" for each in kafkas_of(name))])


def _counts(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "not measured yet"
    return ", ".join(f"{row['kafka']} {count(row)}" for row in rows)


def _of_control(name: str, control: str) -> Iterator[str]:
    """What a scenario comes to under one of its controls, and the command."""
    rows = measured(control).get(name, [])
    kafkas = " ".join(f"-k {row['kafka']}" for row in rows)
    yield from ("```console", f"highwater compare -s {name} {kafkas} --control {control}", "```")
    yield from ("", f"- {name} with {control}: {_counts(rows)}")


def _of_clients(name: str) -> Iterator[str]:
    """What some clients came to in a scenario that any of them can play, and the command."""
    every = json.loads(OF_CLIENTS.read_text(encoding="utf-8"))["cells"]
    rows = [row for row in every if row["scenario"] == name]
    kafka = rows[0]["kafka"]
    told = {(row["control"] or "client=confluent").removeprefix("client="): row for row in rows}
    chosen = " ".join(f"-c {client}" for client in told)
    yield from ("```console", f"highwater clients -k {kafka} -s {name} {chosen}", "```", "")
    counts = ", ".join(f"{client} {count(row)}" for client, row in told.items())
    yield f"- {name} on {kafka}: {counts}"


def _ended(test: str) -> str:
    """In how many plays it ended as its page says; or where what it measures stands."""
    if test in ELSEWHERE:
        return f": [measured]({ELSEWHERE[test]})"
    counts = json.loads(SHOWN.read_text(encoding="utf-8"))["tests"].get(test, {"ended": {}})[
        "ended"
    ]
    if any(times == unclear for _, times, unclear in counts.values()):
        return ": not measured yet"
    told = ", ".join(
        f"{kafka} {well}/{times}" + (f" ?{unclear}" if unclear else "")
        for kafka, (well, times, unclear) in counts.items()
    )
    return f": as it says in {told}" if told else ": not measured yet"


def _played_by(test: str) -> str:
    """A command of a checkout: one that a page shows, or a benchmark."""
    page, _, _name = test.partition("::")
    if page.endswith(".md"):
        return f"python -m tests.shown_trials {test}"
    return f"python -m {page.removesuffix('.py').replace('/', '.')}"


def _link(test: str) -> str:
    page, _, name = test.partition("::")
    place = f"`{name}` in [{page}]" if name else f"[{page}]"
    inside = page.startswith("docs/")
    return f"{place}({page.removeprefix('docs/') if inside else f'../{page}'})"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
