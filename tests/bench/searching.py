"""How soon a search finds what a release loses, and that it finds nothing where nothing is lost.

`python -m tests.bench.searching` plays each strategy on each of KNOWN with ten seeds, each
search until its first finding or the end of its seconds, and adds a row for each to searches.json;
what stands there is not played again, so that `--minutes 10` does it in parts. Named releases and
strategies come in their place. Starts of clusters are not counted, and nothing is shrunk: each
finding lies in --out as a schedule, which `highwater shrink` and `highwater bisect` take.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.kept_cells import KEPT
from tests.results import write_page

from highwater.console import say
from highwater.exploration.files import write_schedule
from highwater.exploration.proposals import MOVE_SETS
from highwater.exploration.steps import Schedule
from highwater.exploration.strategies import STRATEGIES
from highwater.exploration.topologies import terrain_of
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import Rounds
from highwater.workshop import workshop

NAME = "searches.json"
KNOWN = (  # a release that loses something, and the moves that it takes
    ("0.10.2.2", "gentle"),
    ("0.10.2.2", "groups"),
    ("1.1.1", "gentle"),
    ("2.0.0", "gentle"),
    ("2.0.1", "gentle"),
    ("2.8.0", "gentle"),
    ("2.4.0", "rough-transactions"),
    ("2.8.2", "topics"),
    ("3.3.2", "transactions"),
    ("3.6.2", "topics"),
    ("3.9.0", "pipelines"),
    ("4.0.0", "power"),
    ("4.1.1", "transactions"),
    ("4.1.1", "groups"),
    ("4.4.0", "groups"),
)
Row = Mapping[str, Any]
Search = tuple[str, str, str, int]  # Kafka, strategy, moves, seed


def one_search(rounds: Rounds, wanted: Search, budget_s: float) -> tuple[Row, Schedule | None]:
    """Until the first finding; a row with how many schedules and seconds that took, and it."""
    _, strategy_name, moves, seed = wanted
    strategy = STRATEGIES[strategy_name](MOVE_SETS[moves])
    spent_s, number, unsettled = 0.0, 0, 0
    found: Schedule | None = None
    while spent_s < budget_s and found is None:
        number += 1
        played = rounds.play_by(strategy, random.Random(f"{seed}-{number}"))
        strategy.learn(played)
        spent_s += played.seconds
        unsettled += not played.finding.is_settled and not played.finding.found
        if played.finding.found:
            origin = {"seed": seed, "number": number, "strategy": played.by, "moves": moves}
            found = Schedule(
                kafka=rounds.kafka.name,
                steps=played.taken,
                claims=played.finding.claims,
                told=played.finding.told,
                origin=origin,
                setting=terrain_of(moves).setting,
            )
    row = {
        "kafka": rounds.kafka.name,
        "strategy": strategy_name,
        "moves": moves,
        "seed": seed,
        "budget_s": budget_s,
        "schedules": number,
        "seconds": round(spent_s, 1),
        "unsettled": unsettled,
        "claims": list(found.claims) if found else [],
        **({"by": found.origin["strategy"], "story": found.story} if found else {}),
    }
    return row, found


def rows_of(path: Path) -> list[Row]:
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return rows


def key_of(row: Row) -> Search:
    return row["kafka"], row["strategy"], row.get("moves", "gentle"), row["seed"]


def left(asked: argparse.Namespace, path: Path) -> Iterator[Search]:
    """What nobody has played, a strategy of a release after the other."""
    known = {key_of(row) for row in rows_of(path)}
    named = [(name, asked.moves or "gentle") for name in asked.kafkas]
    for name, moves in named or KNOWN:
        for strategy in asked.strategy or STRATEGIES:
            for seed in range(1, asked.seeds + 1):
                wanted = (find_kafka(name).name, strategy, moves, seed)
                if wanted not in known:
                    yield wanted


def play(asked: argparse.Namespace, path: Path) -> None:
    """One search after the other, those of a release on one line of clusters."""
    ends = time.monotonic() + 60 * asked.minutes
    todo = list(left(asked, path))
    for name, moves in dict.fromkeys((each[0], each[2]) for each in todo):
        if time.monotonic() >= ends:
            return
        mine = [each for each in todo if (each[0], each[2]) == (name, moves)]
        with (
            workshop() as place,
            Rounds(
                find_kafka(name), place, lambda _text: None, terrain=terrain_of(moves)
            ) as rounds,
        ):
            for wanted in mine:
                began = time.monotonic()
                if began >= ends:
                    return
                row, found = one_search(rounds, wanted, asked.budget)
                write_json(path, [*rows_of(path), row])
                if found is not None:
                    named = "-".join(map(str, wanted))
                    write_schedule(path.with_name(f"found-{named}.json"), found)
                say(f"{row} in {time.monotonic() - began:.0f} s")


def keep(rows: Sequence[Row], kept: Path) -> None:
    """These instead of what is kept of the same searches."""
    mine = {key_of(row) for row in rows}
    others = [row for row in rows_of(kept) if key_of(row) not in mine]
    write_json(kept, sorted([*others, *rows], key=key_of))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kafkas", nargs="*")
    parser.add_argument("--strategy", choices=sorted(STRATEGIES), action="append")
    parser.add_argument("--moves", choices=sorted(MOVE_SETS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--out", type=Path, default=KEPT)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    play(asked, asked.out / NAME)
    keep(rows_of(asked.out / NAME), KEPT / NAME)
    write_page()


if __name__ == "__main__":
    main()
