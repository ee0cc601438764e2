"""Writes docs/catalogue.md, the catalogue as a page: `python -m highwater.catalogue_page`."""

from __future__ import annotations

from pathlib import Path

from highwater.listing import Rows, checker_rows, fault_rows, scenario_rows, version_rows

PAGE = Path("docs", "catalogue.md")  # in the directory of the checkout

HEAD = """\
# Catalogue

Written by `python -m highwater.catalogue_page`; change the code, not this page. The same tables on
a terminal: `highwater list scenarios`, `faults`, `checkers` or `versions`.
"""


def render() -> str:
    """The whole page."""
    sections = {
        "Scenarios": scenario_rows(),
        "Faults": fault_rows(),
        "Checkers": checker_rows(),
        "Versions": version_rows(),
    }
    return HEAD + "".join(f"\n## {title}\n\n{_table(rows)}" for title, rows in sections.items())


def _table(rows: Rows) -> str:
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([_cell(text) for text in row.values()] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cell(text: str) -> str:
    """Nothing in a cell may end it, or be taken for markup."""
    for character in "|<>*_":
        text = text.replace(character, f"\\{character}")
    return text


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
