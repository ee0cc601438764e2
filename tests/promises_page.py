"""Writes the two tables of docs/promises.md that are made of src/highwater/promised.toml.

`python -m tests.promises_page` does it; what stands around them is written by hand.
"""

from __future__ import annotations

from pathlib import Path

from highwater.promised import Library, libraries

PAGE = Path("docs", "promises.md")  # in the directory of the checkout
PRODUCERS = {
    "duplicate": "duplicates",
    "reordered": "order in a partition",
    "lost-write": "acks",
    "stalled-sends": "until when it tries",
}
MEMBERS = {"commit-regression": "a commit", "two-owners": "partitions that are taken away"}
WHERE = "where it stands"


def tables() -> list[str]:
    """Of producers, and of members of groups."""
    members = [each for each in libraries() if set(MEMBERS) <= set(each.says)]
    return [
        _table([*PRODUCERS.values(), WHERE], [_producer(each) for each in libraries()]),
        _table(list(MEMBERS.values()), [_said(each, list(MEMBERS)) for each in members]),
    ]


def rendered(page: str) -> str:
    """The page with these tables in the places of those that it has."""
    lines = page.splitlines(keepends=True)
    for table in tables():
        begins = lines.index(_begin(table, lines))
        ends = next(at for at in range(begins, len(lines)) if not lines[at].startswith("|"))
        lines[begins:ends] = table.splitlines(keepends=True)
    return "".join(lines)


def _begin(table: str, lines: list[str]) -> str:
    """Its first line on the page, which begins with the same two columns."""
    named = "|".join(table.split("|")[:3])
    return next(line for line in lines if line.startswith(named))


def _producer(library: Library) -> list[str]:
    return [*_said(library, list(PRODUCERS)), f"[documentation]({library.reference})"]


def _said(library: Library, claims: list[str]) -> list[str]:
    return [", ".join(library.clients), *(library.says[claim] for claim in claims)]


def _table(names: list[str], rows: list[list[str]]) -> str:
    lines = [["client", *names], ["---"] * (len(names) + 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
