"""What applications made of their inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of, together
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Place, Row, grouped, place


def broken_contract(record: Record) -> Opinion:
    by_name = grouped(record["contracts"], lambda row: row["contract"])
    return together(opinion_of(_answers(rows)) for rows in by_name.values())


def _answers(rows: Sequence[Row]) -> Iterator[bool | None]:
    inputs, outputs = _told(rows, "input"), _told(rows, "output")
    if not inputs:
        return
    says = {row["each"] for row in inputs}
    yield from _counts(rows, inputs, outputs, says)
    keeps = [str(row["keeps"]).split(",") for row in inputs]
    if all("key" in each for each in keeps):
        yield from _keys(inputs, outputs)
    if all("order" in each for each in keeps):
        yield from _order(inputs, outputs)


def _told(rows: Sequence[Row], tells: str) -> list[Row]:
    """Each place and identity once; of several rows the one with the least key counts."""
    found: dict[object, Row] = {}
    for row in sorted((row for row in rows if row["tells"] == tells), key=_least):
        found.setdefault((place(row), row["offset"], row["identity"]), row)
    return list(found.values())


def _least(row: Row) -> tuple[object, ...]:
    names = ("key_hash", "each", "keeps")
    return tuple((row[name] is not None, row[name] or 0) for name in names)


def _counts(
    rows: Sequence[Row], inputs: list[Row], outputs: list[Row], says: set[object]
) -> Iterator[bool | None]:
    lowest: dict[Place, int] = {}
    for row in rows:
        if row["tells"] == "position":
            lowest[place(row)] = min(row["offset"], lowest.get(place(row), row["offset"]))
    due = [row for row in inputs if row["offset"] < lowest.get(place(row), row["offset"])]
    told = {row["tells"] for row in rows}
    wants_one, no_more = (word not in says for word in ("at most", "at least"))
    lacks_input, lacks_output = (
        any(row["identity"] is None for row in some) for some in (inputs, outputs)
    )
    if wants_one:
        yield from (None for row in due if row["identity"] is None)
    if no_more:
        yield from (None for row in outputs if row["identity"] is None)
    known = {"missing": not lacks_output and "outputs-end" in told}
    known["too many"] = not lacks_input and "inputs-end" in told
    for name in {row["identity"] for row in (*inputs, *outputs)} - {None}:
        many, made, owed = (
            sum(row["identity"] == name for row in some) for some in (inputs, outputs, due)
        )
        wrong = "missing" if wants_one and made < owed else ""
        wrong = "too many" if no_more and made > many else wrong
        if wrong:
            yield True if known[wrong] else None
        elif made or (wants_one and owed):
            yield False


def _keys(inputs: list[Row], outputs: list[Row]) -> Iterator[bool | None]:
    keys = defaultdict(set)
    for row in inputs:
        keys[row["identity"]].add(row["key_hash"])
    for row in outputs:
        if row["identity"] is not None and row["identity"] in keys:
            known = keys[row["identity"]]
            unsure = row["key_hash"] is None or None in known
            yield None if unsure else row["key_hash"] not in known


def _order(inputs: list[Row], outputs: list[Row]) -> Iterator[bool | None]:
    by_name = grouped(inputs, lambda row: row["identity"])
    once = {name: rows[0] for name, rows in by_name.items() if len(rows) == 1 and name is not None}
    first: dict[tuple[object, ...], int] = {}
    for row in outputs:
        if row["identity"] in once:
            way = place(once[row["identity"]]), place(row), row["identity"]
            first[way] = min(row["offset"], first.get(way, row["offset"]))
    for (source, into, name), offset in first.items():
        yield any(
            (source, into) == other[:2]
            and behind < offset
            and once[other[2]]["offset"] > once[name]["offset"]
            for other, behind in first.items()
        )
