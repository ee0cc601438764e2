"""The documentation builds as a site: links and anchors lead somewhere, nobody else is asked."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests import reference_pages
from tests.fake_client import Lively

from highwater.listing import fault_rows

FETCHED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}
FOREIGN = re.compile(r"(?:https?:)?//", re.IGNORECASE)


class Fetches(HTMLParser):
    """What a browser asks for by itself when it shows a page; links wait for a click."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        place = dict(attrs).get(FETCHED.get(tag, ""))
        if place:
            self.places.append(place)


def fetched_by(page: str) -> list[str]:
    parser = Fetches()
    parser.feed(page)
    return parser.places


@pytest.fixture(scope="module")
def site(tree: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("mkdocs") is None:
        if "docs" in os.environ.get("HIGHWATER_REQUIRE", "").split(","):
            pytest.fail("HIGHWATER_REQUIRE names docs, and MkDocs is not installed")
        pytest.skip("MkDocs is not installed: make docs installs it")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=tree.root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "excluded from the built site" not in done.stderr
    return out


def test_every_page_is_there_and_can_be_found(tree: Any, site: Path) -> None:
    pages = [path for path in tree.files if path.suffix == ".md" and "docs" in path.parts]
    stems = {str(page.relative_to(tree.root / "docs").with_suffix(".html")) for page in pages}
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {each["location"].partition("#")[0] for each in index["docs"]}

    assert len(stems) > 60
    assert {name for name in stems if not (site / name).is_file()} == set()
    assert stems <= found


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    asked = {
        f"{page.name}: {place}"
        for page in pages
        for place in fetched_by(page.read_text(encoding="utf-8"))
        if FOREIGN.match(place)
    }
    styled = {
        f"{sheet.name}: {place}"
        for sheet in site.rglob("*.css")
        for place in re.findall(r"(?:url\(|@import )['\"]?([^'\")]+)", sheet.read_text())
        if FOREIGN.match(place)
    }

    assert len(pages) > 60
    assert asked | styled == set()


def test_what_a_page_fetches_is_seen() -> None:
    page = '<link href="//fonts.example/a.css"><img src="x.svg"><a href="https://example.org">'

    assert fetched_by(page) == ["//fonts.example/a.css", "x.svg"]


def test_every_word_of_a_play_is_in_the_reference(tree: Any, site: Path) -> None:
    page = (site / "reference" / "play.html").read_text(encoding="utf-8")
    syntax = tree.syntax(tree.root / "harness" / "play.py")
    (play,) = (each for each in syntax.body if getattr(each, "name", "") == "Play")
    words = [each.name for each in play.body if hasattr(each, "name") and each.name[0] != "_"]

    assert len(words) > 20
    assert [word for word in words if f'id="highwater.harness.play.Play.{word}"' not in page] == []


@pytest.mark.parametrize("name", [row["name"] for row in fault_rows()])
def test_the_example_of_a_fault_is_that_fault(name: str) -> None:
    fault = reference_pages.examples()[name]
    given: dict[str, Any] = {"orders": [reference_pages.Shown()], "app": Lively()}

    exec("\n".join(reference_pages.imports(fault)), given)

    assert eval(reference_pages.spelled(fault), given) == fault


def test_every_variable_of_the_environment_is_told(tree: Any) -> None:
    texts = [path.read_text(encoding="utf-8") for path in tree.product]
    read = {name for text in texts for name in re.findall(r"HIGHWATER_[A-Z_]+", text)}
    by_compose = {"HIGHWATER_IMAGE", "HIGHWATER_USER"}  # what compose files say at their head

    assert {*reference_pages.ENVIRONMENT} == read - by_compose


def test_the_scenario_of_the_tutorial_is_the_one_that_is_played(tree: Any) -> None:
    page = (tree.root / "docs" / "tutorials" / "scenario.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)

    assert shown == (tree.root / "scenarios" / "acks_leader.py").read_text(encoding="utf-8")
