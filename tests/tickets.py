"""What each flip of the ladder is held against: the ticket or KIP, and what others say of it.

Read once, by hand, and kept in docs/results/tickets.json with the address of each; a flip of which
nobody was found to say anything says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
INTRODUCTION = """## What others say of these releases

Each of the {flips} flips above was held against what others say of the ticket or KIP that its
scenario rests on: fix versions of JIRA, announcements and upgrade notes of releases, the tags of
Kafka's own repository that have the commit, what of the change the released jars have (by javap),
and what authors say in their pull requests.
{agreed} agree, {against}; of {left} no fix version was found, and the dates of their pull
requests are told.

| release | ticket or KIP | scenarios | as told | where |
| --- | --- | --- | --- | --- |
"""


def section(rows: Sequence[Row]) -> str:
    """A line for each ticket and release, in the order of releases as they are there."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["first"], row["ticket"], row["where"]), []).append(row)
    lines = []
    for (first, ticket, where), mine in groups.items():
        names = ", ".join(dict.fromkeys(row["scenario"] for row in mine))
        told = mine[0]["says"] or mine[0]["note"]
        cells = [first, ticket, names, told.replace("|", "/"), f"[{_named(where)}]({where})"]
        lines.append(f"| {' | '.join(cells)} |")
    agreed = sum(row["agrees"] is True for row in rows)
    differing = sum(row["agrees"] is False for row in rows)
    head = INTRODUCTION.format(
        flips=len(rows),
        agreed=agreed,
        against=f"{differing} disagree" if differing else "none disagrees",
        left=len(rows) - agreed - differing,
    )
    return head + "\n".join(lines) + "\n"


def _named(where: str) -> str:
    """The last part of an address that says anything."""
    return where.rstrip("/").rsplit("/", 1)[-1][:40]
