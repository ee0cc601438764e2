"""Which failures searches find by themselves: each finding is made small, and bisected.

A search knows nothing of releases or tickets. What its finding is, the releases say between which
it flips: of the scenarios that it may be those are named that flip there as well, and played once,
so that the steps of both can be compared.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from tests.kept_cells import KEPT
from tests.whole_ladder import all_end

from highwater.bisecting import STORED
from highwater.exploration.files import read_schedule
from highwater.exploration.proposals import MOVE_SETS
from highwater.exploration.steps import Schedule
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.catalogue import find_scenario
from highwater.search_log import WHOLE, read_log

NAME = "named.json"
BUDGET_MIN = 20
LEAST_S = 180  # with less of that left a search is over: starts of clusters are not counted
SEED = 1
BY_HAND = "by-hand"
AWAIT = "await"  # a step of a search waits by itself; that of a scenario is one of its own
ENDS = ("last", "first", "first_answer")  # of a bisection

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A release, and the moves of a search there.

    `known` are scenarios that its finding may be: it is those that flip where it does. `good` is
    where it is not, None for the newest release of the mode.
    """

    kafka: str
    moves: str
    known: tuple[str, ...]
    good: str | None = None

    def place(self, out: Path) -> Path:
        return out / f"{self.kafka}-{self.moves}"

    def small(self, out: Path) -> Path:
        return self.place(out) / "found-1.small.json"

    def report(self, out: Path) -> Path:
        return self.place(out) / "found-1" / "report.html"

    def bisected(self, out: Path) -> Path:
        return self.place(out) / "bisected" / STORED

    def left_s(self, out: Path) -> int:
        """What the search may take still; starts of clusters are not counted."""
        log = self.place(out) / WHOLE.log
        return round(60 * BUDGET_MIN - sum(told.seconds for _, told in read_log(log)))

    def is_over(self, out: Path) -> bool:
        """It has found something, or there is no time left for it."""
        if self.small(out).exists():
            return True
        told = read_log(self.place(out) / WHOLE.log)
        has_found = any(each.finding.found for _, each in told)  # and was ended before it was small
        return not has_found and self.left_s(out) < LEAST_S

    @property
    def explore(self) -> list[str]:
        """The words of the search, but for its time."""
        return ["explore", "-k", self.kafka, "--moves", self.moves, "--seed", str(SEED)]


WANTED = (
    Wanted("0.10.2.2", "gentle", ("kip101-loss-no-crash", "kip101-divergence")),
    Wanted("0.10.2.2", "groups", ("kip101-lost-commit",)),
    Wanted("1.1.1", "gentle", ("kip279-fast-failover", "kip320-deaf-leader")),
    Wanted("2.0.0", "gentle", ("kafka7415-undefined-epoch", "kip320-deaf-leader")),
    Wanted("2.0.1", "gentle", ("kip320-deaf-leader",)),
    Wanted("2.4.0", "rough-transactions", ("kafka9144-forgotten-fence",)),
    Wanted("2.8.0", "gentle", ("kafka13141-diverging-fetch-no-crash",)),
    Wanted("2.8.2", "topics", ("recreated-while-away",)),
    Wanted("3.3.2", "transactions", ("kip890-hanging-transaction",)),
    Wanted("3.4.1", "disks", ("kafka14139-replaced-disk",)),
    Wanted("3.6.2", "quorum", ("kafka15489-two-controllers",)),
    Wanted("3.6.2", "topics", ("kafka14616-left-behind",)),
    Wanted("3.7.2", "transactions", ("kafka16352-stuck-transaction",)),
    Wanted("3.9.0", "pipelines", ("kafka17507-position-of-the-next",)),
    Wanted("4.0.0", "power", ("kip966-last-replica-standing",)),
    Wanted("4.1.1", "transactions", ("kafka19446-late-marker",)),
    Wanted("4.1.1", "groups", ("kafka20634-confirmed-though-gone",)),
    Wanted("4.4.0", "groups", ("told-less-than-confirmed",), good="3.9.1"),
)


def play(trials: int, out: Path, most_s: float, wanted: Sequence[Wanted] = WANTED) -> None:
    """Search, bisect what was found, and play once what it may be; goes on where it ended."""
    ends_at = time.monotonic() + most_s
    for left in (_searches, partial(_bisections, trials), _by_hand):
        lines = [[sys.executable, "-m", "highwater.cli", *words] for words in left(wanted, out)]
        if not all_end(lines, ends_at - time.monotonic()):
            return


def _searches(wanted: Sequence[Wanted], out: Path) -> Iterator[list[str]]:
    """Those that have not come to their end, and those of which the ten plays are not there."""
    for each in wanted:
        if not each.report(out).exists() and (each.small(out).exists() or not each.is_over(out)):
            budget = f"{max(1, each.left_s(out))}s"
            yield [*each.explore, "--budget", budget, "-o", str(each.place(out))]


def _bisections(trials: int, wanted: Sequence[Wanted], out: Path) -> Iterator[list[str]]:
    for each in wanted:
        if each.small(out).exists() and not _flip(each, out)["last"]:
            ends = ["--good", each.good] if each.good else []
            place = str(each.bisected(out).parent)
            yield [
                "bisect", str(each.small(out)), *ends, "-n", str(trials), "-o", place, "--resume",
            ]  # fmt: skip


def _by_hand(wanted: Sequence[Wanted], out: Path) -> Iterator[list[str]]:
    """Each scenario once, on one of the releases on which it fails."""
    found = [each for each in wanted if each.small(out).exists() and has_whole_schedule(each)]
    names = {name: each.kafka for each in found for name in _as_do(each, out)}
    for name, kafka in sorted(names.items()):
        if not _steps_by_hand(out, name):
            place = str(out / BY_HAND / name)
            yield ["compare", "-s", name, "-k", kafka, "-n", "1", "-o", place, "--resume"]


def has_whole_schedule(each: Wanted) -> bool:
    """Of a scenario's transactions and groups its schedule does not know: its steps are fewer."""
    return not {"claim", "commit position", "take over"} & {*MOVE_SETS[each.moves]}


def kept(out: Path, wanted: Sequence[Wanted] = WANTED) -> dict[str, Any]:
    """What the page needs of them."""
    rows = [*rows_of(out, wanted)]
    names = sorted({name for row in rows for name in row["as"]})
    return {
        "played_on": datetime.now(UTC).date().isoformat(),
        "searches": rows,
        "by_hand": {name: steps for name in names if (steps := _steps_by_hand(out, name))},
    }


def _steps_by_hand(out: Path, name: str) -> int:
    """Of a scenario, as a run that showed it has written them down; 0 where none did."""
    told = out / BY_HAND / name / "compare.json"
    cells = json.loads(told.read_text(encoding="utf-8"))["cells"] if told.exists() else []
    stored = [*told.parent.rglob("schedule.json")] if cells and cells[0]["reproduced"] else []
    return _count(read_schedule(stored[0])) if stored else 0


def _count(schedule: Schedule) -> int:
    return sum(each.step.move.name != AWAIT for each in schedule.steps)


def rows_of(out: Path, wanted: Sequence[Wanted] = WANTED) -> Iterator[Row]:
    """One for each search that is over, with what its finding is."""
    for each in wanted:
        log = each.place(out) / WHOLE.log
        if log.exists() and each.is_over(out):
            told = [row for _, row in read_log(log) if row.taken]
            yield {
                "kafka": find_kafka(each.kafka).name,
                "moves": each.moves,
                "command": " ".join(["highwater", *each.explore, "--budget", f"{BUDGET_MIN}m"]),
                "schedules": len(told),
                "seconds": round(sum(row.seconds for row in told), 1),
                **_finding(each, out),
            }


def _finding(each: Wanted, out: Path) -> dict[str, Any]:
    if not each.small(out).exists():
        return {"claims": [], "as": []}
    small = read_schedule(each.small(out))
    return {
        "claims": list(small.claims),
        "found_steps": _count(read_schedule(each.place(out) / "found-1.json")),
        "steps": _count(small),
        "story": small.story,
        "shrink_s": small.origin.get("shrinking", {}).get("seconds"),
        "hits": [small.origin.get("hits"), small.origin.get("plays")],
        "recorded": _recorded(each.report(out).with_name("compare.json"), small.kafka),
        **_flip(each, out),
        "as": _as_do(each, out),
    }


def _flip(each: Wanted, out: Path) -> dict[str, Any]:
    stored = each.bisected(out)
    told = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    return {name: told.get(name) for name in ("tried", *ENDS)}


def _recorded(stored: Path, kafka: str) -> list[int]:
    """In how many of how many recorded plays it came again on its release."""
    cells = json.loads(stored.read_text(encoding="utf-8"))["cells"] if stored.exists() else []
    mine = [cell for cell in cells if cell["kafka"] == kafka]
    return [mine[0]["reproduced"], mine[0]["trials"]] if mine else []


def _as_do(each: Wanted, out: Path) -> list[str]:
    """Of what it may be the scenarios that flip where it does; of several those of its claim."""
    flip, flips = _flip(each, out), json.loads((KEPT / "bisect.json").read_text())["flips"]
    same = {row["scenario"] for row in flips if all(row[end] == flip[end] for end in ENDS)}
    names = [name for name in each.known if flip["last"] and name in same]
    claims = {*read_schedule(each.small(out)).claims}
    mine = [name for name in names if claims & {*find_scenario(name).claims}]
    return mine if len(names) > 1 else names


INTRODUCTION = """## Which failures searches found

`python -m tests.results named`, played up to {day}: one search of each row, seed {seed}, of
{budget} minutes at most and two side by side, made small, played ten times more, recorded ten times
on its release and on those beside it, and then bisected. A search knows no release and no ticket;
of the scenarios that a row was written down with, those are named that flip at the same releases as
its finding. Steps are those of the small schedule, and in brackets those of the shortest of these
scenarios, whose waiting is not counted: a scenario's schedule has none of its transactions and
groups. Minutes are those of schedules, seconds what it took to make the finding small.

| search | minutes | schedules | found | last, first | as | steps | seconds | again | recorded |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def section(told: Row) -> str:
    """A line for each search, and below it the small schedules."""
    rows: Sequence[Row] = told["searches"]
    head = INTRODUCTION.format(day=told["played_on"], seed=SEED, budget=BUDGET_MIN)
    lines = [_line(row, told["by_hand"]) for row in rows]
    found = [row for row in rows if row["claims"]]
    known = {tuple(row["as"]) for row in found if row["as"]}
    sums = (
        f"{len(found)} of {len(rows)} searches found something; {len(known)} different failures of "
        "these are known."
    )
    stories = [f"- {row['kafka']}, {row['moves']}: `{row['story']}`" for row in found]
    return head + "\n".join(chain(lines, ["", sums, ""], stories)) + "\n"


def _line(row: Row, by_hand: Mapping[str, int]) -> str:
    cells = [f"`{row['command']}`", f"{row['seconds'] / 60:.1f}", str(row["schedules"])]
    if not row["claims"]:
        return f"| {' | '.join([*cells, 'nothing', *[''] * 6])} |"
    known = [by_hand[name] for name in row["as"] if name in by_hand]
    flip = f"{row['last']}, {row['first']} {row['first_answer']}" if row["last"] else "?"
    cells += [
        ", ".join(row["claims"]),
        flip,
        ", ".join(row["as"]) or "nothing that is known",
        f"{row['steps']} ({min(known)})" if known else str(row["steps"]),
        "?" if row["shrink_s"] is None else f"{row['shrink_s']:.0f}",
        *(_of(row[name]) for name in ("hits", "recorded")),
    ]
    return f"| {' | '.join(cells)} |"


def _of(times: Sequence[int | None]) -> str:
    return "?" if not times or None in times else f"{times[0]} of {times[1]}"
