"""docs/articles.md is complete, and what it names is there."""

from __future__ import annotations

import json
import re
from typing import Any

from tests import articles_page, shown_trials

from highwater.scenarios.catalogue import scenarios

STATEMENTS = 77
TRIALS = 5
SETTINGS = (  # how those of brokers, topics and clients begin that are named there
    "auto|batch|default|delivery|enable|group|index|leader|linger|log|max|min|offsets|replica|"
    "retention|segment|unclean"
)
SILENT = {"inside", "open"}


def test_every_statement_is_there_once() -> None:
    numbers = [each["number"] for each in articles_page.statements()]

    assert numbers == list(range(1, STATEMENTS + 1))


def test_every_statement_is_of_an_article_and_has_a_state() -> None:
    named = articles_page.articles().keys()

    assert [
        each["number"]
        for each in articles_page.statements()
        if not each["articles"]
        or not named >= {*each["articles"]}
        or each["state"] not in articles_page.STATES
        or not each["says"]
    ] == []


def test_what_is_said_to_be_shown_has_something_that_shows_it() -> None:
    assert [
        each["number"]
        for each in articles_page.statements()
        if each["state"] not in SILENT and not each.get("shown") and not each.get("tests")
    ] == []


def test_the_scenarios_that_are_named_are_there() -> None:
    names = {each.name for each in scenarios()}
    named = {name for each in articles_page.statements() for name in each.get("shown", ())}

    assert named
    assert named - names == set()


def test_the_tests_that_are_named_are_there(tree: Any) -> None:
    named = {test for each in articles_page.statements() for test in each.get("tests", ())}
    missing = []
    for test in sorted(named):
        page, _, name = test.partition("::")
        path = tree.root / page
        if not path.exists() or not re.search(rf"^def {name}", path.read_text(), re.MULTILINE):
            missing.append(test)

    assert named
    assert missing == []


def test_whatever_shows_a_statement_has_been_measured() -> None:
    left = re.findall(r"^- (.*): not measured yet$", articles_page.render(), re.MULTILINE)

    assert left == [], (
        "for scenarios: highwater matrix --ends -n 5 -s NAME, and python -m tests.results ladder; "
        "for chaos tests: python -m tests.results shown"
    )


def test_what_was_measured_of_a_page_was_played_as_it_stands() -> None:
    every, kept = shown_trials.blocks(), shown_trials.kept()
    stale = [
        test for test, told in kept.items() if not shown_trials.is_of(told, every.get(test, ""))
    ]

    assert stale == [], "play these again: python -m tests.results shown"


def test_a_command_names_no_kafka_whose_answer_is_not_there() -> None:
    cells = articles_page.measured()
    named = {name for each in articles_page.statements() for name in each.get("shown", ())}

    assert {
        name: left
        for name in sorted(named)
        if (
            left := {*articles_page.kafkas_of(name)} - {row["kafka"] for row in cells.get(name, ())}
        )
    } == {}


def test_whatever_shows_a_statement_was_played_five_times_and_as_expected() -> None:
    """Trials that proved nothing come on top of five that did."""
    cells = articles_page.measured()
    named = {name for each in articles_page.statements() for name in each.get("shown", ())}
    odd = [
        (name, row["kafka"], row["trials"], row["inconclusive"])
        for name in sorted(named)
        for row in cells.get(name, ())
        if row["trials"] - row["inconclusive"] < TRIALS or not row["as_expected"]
    ]

    assert odd == []


def test_controls_and_clients_that_are_named_were_played() -> None:
    for each in articles_page.statements():
        for told in each.get("controls", ()):
            name, control = told.split()
            assert articles_page.measured(control).get(name), told
        for name in each.get("clients", ()):
            kept = json.loads(articles_page.OF_CLIENTS.read_text(encoding="utf-8"))["cells"]
            assert any(row["scenario"] == name for row in kept), name


def test_what_a_benchmark_shows_was_measured(tree: Any) -> None:
    for test, place in articles_page.ELSEWHERE.items():
        name = test.rpartition("::")[2].split("_")[0]
        heading = place.partition("#")[2].replace("-", " ")
        page = (tree.root / "docs" / "results.md").read_text(encoding="utf-8")

        assert (tree.root / "docs" / "results" / f"{name}.json").exists(), name
        titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
        assert heading in {re.sub(r"[^a-z ]", "", each.lower()) for each in titles}


def test_every_statement_says_where_that_comes_from() -> None:
    """A KIP, a ticket, a setting or a page of Kafka's own, in its text or of what shows it."""
    sources = re.compile(rf"KIP-\d+|KAFKA-\d+|\b(?:{SETTINGS})\.[a-z.]+|documentation")
    parts = re.split(r'<a id="(\d+)"></a>', articles_page.render())[1:]
    told = dict(zip(parts[::2], parts[1::2], strict=True))

    assert [number for number, text in told.items() if not sources.search(text)] == []


def test_every_statement_has_a_command() -> None:
    parts = re.split(r'<a id="(\d+)"></a>', articles_page.render())[1:]
    told = dict(zip(parts[::2], parts[1::2], strict=True))

    assert [number for number, text in told.items() if "```console" not in text] == []


def test_the_page_of_the_articles_is_up_to_date(tree: Any) -> None:
    written = (tree.root / articles_page.PAGE).read_text(encoding="utf-8")

    assert written == articles_page.render(), "run: python -m tests.articles_page"
