"""Each article is retold on a page, which reaches all of its statements by commands that play."""

from __future__ import annotations

import functools
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests import articles_page

from highwater.cells import Cell, make_cells
from highwater.cli import app
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.catalogue import find_scenario

ARTICLES = sorted(articles_page.articles())
COMMAND = re.compile(r"^highwater compare (.+)$", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OTHERWISE = re.compile(r"pytest(?: test_\w+\.py)+ --kafka (\S+)|python -m (tests\.bench\.\w+)")


def page_of(tree: Any, article: str) -> str:
    path = tree.root / articles_page.RETOLD / f"{article}.md"
    text: str = path.read_text(encoding="utf-8")
    return text


def links_in(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\]\(\.\./articles\.md#(\d+)\)", text)}


def statements_of(article: str) -> set[int]:
    return {each["number"] for each in articles_page.statements() if article in each["articles"]}


@functools.cache
def compare() -> Any:
    return typer.main.get_command(app).commands["compare"]  # type: ignore[attr-defined]


@functools.cache
def parsed(words: str) -> tuple[list[str], list[str], list[str]]:
    """Scenarios, Kafkas and controls of a command, as the command line reads them."""
    chosen = compare().make_context("compare", shlex.split(words)).params
    return chosen["scenario"] or [], chosen["kafka"] or [], chosen["control"] or []


kafka_called = functools.cache(find_kafka)


def cells_of(words: str) -> list[Cell]:
    """What a command plays; raises what `compare` would say against it."""
    scenarios, kafkas, controls = parsed(words)
    return make_cells([*map(find_scenario, scenarios)], [*map(kafka_called, kafkas)], controls)


def test_every_article_has_a_page_and_every_page_an_article(tree: Any) -> None:
    pages = {path.stem for path in tree.files if path.parent == tree.root / articles_page.RETOLD}

    assert pages == {*ARTICLES}


@pytest.mark.parametrize("article", ARTICLES)
def test_a_page_reaches_every_statement_of_its_article_at_its_end(tree: Any, article: str) -> None:
    told, _, listed = page_of(tree, article).partition("\n## The statements\n")

    assert links_in(listed) == statements_of(article)
    assert links_in(told) <= statements_of(article)


@pytest.mark.parametrize("article", ARTICLES)
def test_every_command_of_a_page_plays_all_that_it_names(tree: Any, article: str) -> None:
    commands = COMMAND.findall(page_of(tree, article))
    left_out = []
    for words in commands:
        scenarios, kafkas, _ = parsed(words)
        played = {(each.scenario.name, each.kafka.name) for each in cells_of(words)}
        wanted = {(name, kafka) for name in scenarios for kafka in kafkas}
        left_out += sorted(wanted - played) if wanted else [words]

    assert len(commands) >= 3
    assert left_out == []


@pytest.mark.parametrize("article", ARTICLES)
def test_other_commands_of_a_page_name_a_kafka_or_a_module(tree: Any, article: str) -> None:
    lines = "".join(CONSOLE.findall(page_of(tree, article))).splitlines()
    others = [line for line in lines if not COMMAND.match(line)]

    for line in others:
        told = OTHERWISE.fullmatch(line)
        assert told, line
        if told[1]:
            assert kafka_called(told[1])
        else:
            assert Path(tree.root, *told[2].split(".")).with_suffix(".py").exists(), line


@pytest.mark.parametrize("article", ARTICLES)
def test_a_page_plays_what_is_said_to_show_its_statements(tree: Any, article: str) -> None:
    shown = {
        name
        for each in articles_page.statements()
        if article in each["articles"]
        for name in each.get("shown", ())
    }
    commands = COMMAND.findall(page_of(tree, article))
    played = {name for words in commands for name in parsed(words)[0]}

    assert shown - played == set()


@pytest.mark.parametrize("article", ARTICLES)
def test_figures_that_go_stale_stand_where_they_are_measured(tree: Any, article: str) -> None:
    counted = re.findall(r"\b\d+/\d+\b|\b\d+ of \d+ (?:trials|plays)", page_of(tree, article))

    assert counted == []
