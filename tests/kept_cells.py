"""What the pages need of comparisons, without the runs themselves, in docs/results/*.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests import whole_ladder
from tests.told_together import NAMED, told_together

from highwater.harness.model import Scenario
from highwater.harness.versions.catalogue import find_kafka, ladder_kafkas
from highwater.harness.versions.numbers import release_of
from highwater.ladder import Extent, ladder, rungs
from highwater.scenarios.catalogue import scenarios

KEPT = Path(__file__).parents[1] / "docs" / "results"
OURS = "ours"
LEFT_OUT = frozenset({"runs", "measures"})  # of a row

Row = Mapping[str, Any]


def keep(name: str, played: Mapping[Path, Sequence[str]], seconds: float = 0.0) -> None:
    """What the page needs of comparisons: their directories, and the words that played them.

    Without `seconds`, as they may have been played in parts, all of their trials are counted.
    """
    cells = [cell for out in played for cell in _stored(out)["cells"]]
    command = "\n".join(" ".join(["highwater", *words]) for words in played.values())
    minutes = _minutes(seconds or sum(seconds_of(cells)))
    _write(name, {"command": command, "played_on": _today(), "minutes": minutes}, cells)


def _write(name: str, told: Row, cells: Sequence[Row]) -> None:
    rows = [{key: row[key] for key in row if key not in LEFT_OUT} for row in cells]
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps({**told, "cells": rows}, indent=1) + "\n")


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _minutes(seconds: float) -> str:
    return str(round(seconds / 60))


def seconds_of(rows: Sequence[Row]) -> list[float]:
    """Of all their trials."""
    return [seconds for row in rows for seconds in row["seconds"]]


def _stored(out: Path) -> dict[str, Any]:
    """Without the directory that one machine had it in, which reasons may name."""
    told = (out / "compare.json").read_text().replace(f"{out.resolve()}/", "")
    return dict(json.loads(told))


AND = " and "  # between days, and between minutes


def put_together(outs: Sequence[Path], anew: Sequence[Path] = (), *, further: bool = False) -> None:
    """Whole ladders that were played one after the other; each cell has the trials of all.

    Of scenarios that were written or changed since the first of them, the cells in `anew` alone are
    told; a ladder may have them or not. With `further` all of it comes on top of what is told
    already, of which the runs need not be there any more. Raises ValueError for directories that
    are none, for one that stands there twice, as itself or as its copy, or is told already, and for
    a scenario that is in two of `anew`, or there without a cell of its that was told before.
    """
    every = [*outs, *anew]
    if further and not (KEPT / "ladder.json").exists():
        raise ValueError("expected a ladder that is told already, saw none; leave further out")
    before = json.loads((KEPT / "ladder.json").read_text()) if further else NOTHING
    left = [str(out) for out in every if not (out / "compare.json").is_file()]
    if left or not (outs or (further and anew)):
        saw = f"no compare.json in {', '.join(left)}" if left else "none"
        raise ValueError(f"expected directories of whole ladders, saw {saw}")
    ladders = [_stored(out) for out in every]
    _require_apart(every, ladders, before.get("started_at", ()))
    tables = [each["cells"] for each in ladders]
    words = [
        *(_words(rows) for rows in tables[: len(outs)]),
        *([*_words(rows), *_chosen(rows)] for rows in tables[len(outs) :]),
    ]
    minutes = [_sat_minutes(*each) for each in zip(every, tables, strict=True)]
    days = [str(each.get("started_at") or _today())[:10] for each in ladders]
    told = {
        "command": _on_top(before["command"], [_line(each) for each in words], "\n"),
        "played_on": _on_top(before["played_on"], days, AND, once=True),
        "minutes": _on_top(before["minutes"], minutes, AND),
        "started_at": [
            *before.get("started_at", ()),
            *(each["started_at"] for each in ladders if each.get("started_at")),
        ],
    }
    known = [before["cells"]] if further else []
    _write("ladder", told, _with_anew([*known, *tables[: len(outs)]], tables[len(outs) :]))


def add_cells(outs: Sequence[Path]) -> None:
    """Cells that the ladder has by now and nobody has told, as `highwater compare` played them.

    Of scenarios that have not changed since the others of theirs were played. Raises ValueError for
    directories that are none, and for cells that no ladder has or that are told already.
    """
    if not (KEPT / "ladder.json").exists():
        raise ValueError("expected a ladder that is told already, saw none; leave more out")
    before = json.loads((KEPT / "ladder.json").read_text())
    if not outs:
        raise ValueError("expected directories of cells behind more, saw none")
    if left := [str(out) for out in outs if not (out / "compare.json").is_file()]:
        raise ValueError(f"expected directories of cells, saw no compare.json in {left}")
    played = [_stored(out) for out in outs]
    _require_apart(outs, played, before.get("started_at", ()))
    rows = [row for each in played for row in each["cells"]]
    planned = {each for each in _planned(rungs(), Extent.ENDS) if each[2] is None}
    wanted = planned - {_place(row) for row in before["cells"]}
    places = Counter(map(_place, rows))
    if odd := sorted(str(each) for each in places if each not in wanted or places[each] > 1):
        raise ValueError(f"expected cells of the ladder that are not told, each once, saw {odd}")
    more = {
        "command": _on_top(before["command"], [_line(_compared(e["cells"])) for e in played], "\n"),
        "played_on": _on_top(
            before["played_on"], [str(e["started_at"])[:10] for e in played], AND, once=True
        ),
        "minutes": _on_top(
            before["minutes"],
            [_sat_minutes(out, e["cells"]) for out, e in zip(outs, played, strict=True)],
            AND,
        ),
        "started_at": [*before.get("started_at", ()), *(e["started_at"] for e in played)],
    }
    _write("ladder", more, sorted([*before["cells"], *rows], key=_in_order))


def _in_order(row: Row) -> tuple[str, bool, tuple[int, ...], bool]:
    """As a ladder has them: controls last, ZooKeeper first of a release."""
    kafka = find_kafka(str(row["kafka"]))
    told = bool(row["control"]), release_of(kafka.version), kafka.kraft
    return str(row["scenario"]), *told


def _compared(rows: Sequence[Row]) -> list[str]:
    """What played these scenarios on these releases."""
    kafkas = dict.fromkeys(str(row["kafka"]) for row in rows)
    words = ["compare", "-n", str(_trials(rows)), "--reruns", str(whole_ladder.RERUNS)]
    return [*words, *_chosen(rows), *(word for kafka in kafkas for word in ("-k", kafka))]


def keep_ours(out: Path) -> None:
    """What any client can play, played with ours on several releases by `highwater matrix --ends`.

    Raises ValueError for a directory that is none of such a ladder, or of other scenarios.
    """
    if not (out / "compare.json").is_file():
        raise ValueError(f"expected the directory of a ladder, saw no compare.json in {out}")
    told = json.loads((out / "compare.json").read_text())
    rows = told.get("cells") if isinstance(told, dict) else None
    if not rows or not all({*NAMED} <= row.keys() for row in rows):
        raise ValueError(f"expected the cells of a ladder in {out}, saw none")
    played = [_place(row) for row in rows]
    names = {name for name, *_ in played}
    able = [each for each in scenarios() if each.any_client and each.name in names]
    planned = [*_planned(able, Extent.ENDS)]
    if sorted(map(str, played)) != sorted(map(str, planned)):
        odd = sorted(map(str, {*played} ^ {*planned})) or "one that is there twice"
        raise ValueError(
            "expected each cell of `highwater matrix --ends` of scenarios that any client can "
            f"play, once and with ours; saw {len(played)} of {len(planned)}, other than {odd}"
        )
    keep(OURS, {out: [*whole_ladder.words(_trials(rows)), "--ends", *_chosen(rows)]})


NOTHING: Mapping[str, Any] = {"command": "", "played_on": "", "minutes": "", "cells": ()}


def _line(words: Sequence[str]) -> str:
    return " ".join(["highwater", *words])


def _on_top(before: str, more: Sequence[str], between: str, *, once: bool = False) -> str:
    every = [*(before.split(between) if before else []), *more]
    return between.join(dict.fromkeys(every) if once else every)


def _with_anew(tables: Sequence[Sequence[Row]], anew: Sequence[Sequence[Row]]) -> list[Row]:
    """The cells of these scenarios in the place of those that there are, by name."""
    changed = [row for rows in anew for row in rows]
    _require_once([{str(row["scenario"]) for row in rows} for rows in anew])
    names = {row["scenario"] for row in changed}
    _require_whole({_place(row) for rows in tables for row in rows}, changed)
    kept = [[row for row in rows if row["scenario"] not in names] for rows in tables]
    cells = [*told_together(kept, _ends()), *changed]
    return sorted(cells, key=lambda row: str(row["scenario"]))


@cache
def _ends() -> frozenset[Place]:
    """What `highwater matrix` plays with `--ends` alone."""
    every = {extent: {*_planned(rungs(), extent)} for extent in (Extent.ENDS, Extent.CONTROLS)}
    return frozenset(every[Extent.ENDS] - every[Extent.CONTROLS])


def _planned(scenarios: Sequence[Scenario], extent: Extent) -> Iterator[Place]:
    for cell in ladder(scenarios, ladder_kafkas(), extent):
        yield cell.scenario.name, cell.kafka.name, cell.control


def _require_once(anew: Sequence[Collection[str]]) -> None:
    """Scenarios of several directories; of one in two of them nobody knows which is to be told."""
    times = Counter(name for names in anew for name in names)
    if twice := sorted(name for name, many in times.items() if many > 1):
        raise ValueError(f"expected each scenario in one directory behind anew, saw {twice} in two")


Place = tuple[str, str, str | None]


def _place(row: Row) -> Place:
    return str(row["scenario"]), str(row["kafka"]), row["control"]


def _require_whole(told: Collection[Place], changed: Sequence[Row]) -> None:
    """All that is told of a scenario is told anew, as far as the ladder has it by now."""
    mine = {_place(row) for row in changed}
    names = {name for name, *_ in mine}
    gone = {each for each in told if each[0] in names} - mine
    planned = gone and {*_planned([each for each in rungs() if each.name in names], Extent.ENDS)}
    if lacking := sorted(map(str, gone & planned)):
        raise ValueError(f"expected all cells of a scenario behind anew, saw none of {lacking}")


def _words(rows: Sequence[Row]) -> list[str]:
    """What played as much of these scenarios as there is."""
    ends = any(_place(row) in _ends() for row in rows)
    return [*whole_ladder.words(_trials(rows)), *(["--ends"] if ends else [])]


def _chosen(rows: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(str(row["scenario"]) for row in rows)
    return [word for name in names for word in ("-s", name)]


def _sat_minutes(out: Path, rows: Sequence[Row]) -> str:
    """Of who was not told how long they sat, of all trials."""
    return _minutes(sum(whole_ladder.sat_s(out)) or sum(seconds_of(rows)))


def _require_apart(outs: Sequence[Path], ladders: Sequence[Row], before: Sequence[str]) -> None:
    """No two sittings begin in one millisecond, nor in that of one which is told already."""
    for names in (
        [str(out.resolve()) for out in outs],
        [*before, *(each["started_at"] for each in ladders if each.get("started_at"))],
    ):
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(f"expected each ladder once, saw one of {twice[0]} again")


def _trials(rows: Sequence[Row]) -> int:
    return min(int(row["trials"]) for row in rows)
