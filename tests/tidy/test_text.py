"""What must not stand in any file, and what must be the same in two."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import articles_page, catalogue_page, reference_pages, shown
from tests.slices import SLICES

TEXTS = {".py", ".md", ".toml", ".lock", ".j2", ".css", ".js", ".properties", ".yml", ".yaml", ""}

# Put together here, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")) + r")\b")
MACHINES = re.compile(
    r"(?<![\w.}])/(" + "|".join(("ho" + "me", "Us" + "ers", "wo" + "rk")) + r")/\w"
)


def texts(tree: Any) -> dict[str, str]:
    found = {
        tree.name(path): path.read_text(encoding="utf-8")
        for path in tree.files
        if path.suffix in TEXTS and not path.is_symlink()
    }
    assert len(found) > 100  # or the other tests would look at nothing
    return found


def places(tree: Any, wanted: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts(tree).items()
        for number, line in enumerate(text.splitlines(), start=1)
        if wanted.search(line)
    ]


def test_nothing_is_left_for_later(tree: Any) -> None:
    assert places(tree, UNFINISHED) == []


def test_no_file_knows_the_machine_that_it_was_written_on(tree: Any) -> None:
    assert places(tree, MACHINES) == []


def test_every_file_ends_with_a_newline_and_no_line_with_a_space(tree: Any) -> None:
    untidy = [
        name
        for name, text in texts(tree).items()
        if text and (not text.endswith("\n") or re.search(r"[ \t]+$", text, re.MULTILINE))
    ]

    assert untidy == []


def test_every_folder_of_the_product_is_linked_into_the_package(tree: Any) -> None:
    links = {path.name: str(path.readlink()) for path in tree.files if path.is_symlink()}

    assert links == {name: f"../../{name}" for name in tree.folders}
    assert all((tree.root / "src" / "highwater" / name).is_dir() for name in tree.folders)


@pytest.mark.parametrize(
    ("page", "render"),
    [
        (catalogue_page.PAGE, catalogue_page.render),
        (catalogue_page.CLAIMS, catalogue_page.render_claims),
        (articles_page.PAGE, articles_page.render),
        *reference_pages.PAGES.items(),
    ],
)
def test_a_page_made_of_code_is_up_to_date(
    tree: Any, page: Path, render: Callable[[], str]
) -> None:
    written = (tree.root / page).read_text(encoding="utf-8")

    assert written == render(), (
        "run: python -m tests.catalogue_page, tests.articles_page and tests.reference_pages"
    )


SHARED_BY_FAULTS = {
    "asked",
    "at_the_gate",
    "late",
    "links",
    "of_clients",
    "offline",
    "revival",
    "targets",
    "voters",
}


@pytest.mark.parametrize(
    ("folder", "written"),
    [
        ("scenarios", lambda stem: stem.replace("_", "-")),
        ("checkers/claims", lambda stem: stem.replace("_", "-")),
        ("faults", lambda stem: stem.title().replace("_", "")),
        ("harness/versions/locks", lambda stem: stem),
    ],
)
def test_the_page_of_the_catalogue_has_a_row_for_every_file(
    tree: Any, folder: str, written: Any
) -> None:
    page = (tree.root / catalogue_page.PAGE).read_text(encoding="utf-8")
    stems = [
        path.name.removesuffix(path.suffix)
        for path in tree.files
        if tree.name(path.parent) == folder
        and path.suffix in {".py", ".lock"}
        and path.stem not in {"__init__", "catalogue", *SHARED_BY_FAULTS}
    ]

    assert stems
    assert [stem for stem in stems if f"| {written(stem)} |" not in page] == []


def test_the_commands_of_the_readme_are_there(tree: Any) -> None:
    makefile = (tree.root / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    readme = (tree.root / "README.md").read_text(encoding="utf-8")
    asked = set(re.findall(r"(?:^|`)make ([a-z][\w-]*)", readme, re.MULTILINE))

    assert asked
    assert asked <= targets


def test_pages_say_into_how_many_slices_the_long_tests_are_dealt(tree: Any) -> None:
    said = [
        int(number)
        for name in ("README.md", "CONTRIBUTING.md", "Makefile", "tests/conftest.py")
        for numbers in re.findall(
            r"(?:SLICE=|--slice )\d+/(\d{2,})|\b(\d+) slices", (tree.root / name).read_text("utf-8")
        )
        for number in numbers
        if number
    ]

    assert len(said) >= 5
    assert {*said} == {SLICES}


def test_every_link_of_a_page_to_a_file_leads_somewhere(tree: Any) -> None:
    broken = [
        f"{page.relative_to(tree.root)}: {target}"
        for page in tree.files
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not Path(page.parent, target).exists()
    ]

    assert broken == []


def test_every_python_of_the_pages_that_are_played_is_one_chaos_test() -> None:
    counted = [len(shown.tests_of(block)) for block in shown.blocks()]

    assert len(counted) >= 10
    assert {*counted} == {1}
