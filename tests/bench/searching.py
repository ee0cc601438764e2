"""How soon a search finds what a release loses, and that it finds nothing where nothing is lost.

`python -m tests.bench.searching KAFKA [KAFKA ...] --strategy guided --seeds 10 --budget 300` plays
each seed until its first finding or the end of its seconds, and adds a row for each to
docs/results/searches.json; what stands there is not played again. Starts of clusters are not
counted, and nothing is shrunk.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.results import KEPT

from highwater.console import say
from highwater.exploration.proposals import MOVE_SETS
from highwater.exploration.strategies import STRATEGIES
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import Rounds
from highwater.workshop import workshop

SEARCHES = KEPT / "searches.json"
Row = Mapping[str, Any]


def one_search(rounds: Rounds, strategy_name: str, seed: int, budget_s: float) -> Row:
    """Until the first finding; a row with how many schedules and seconds that took."""
    strategy = STRATEGIES[strategy_name](MOVE_SETS["gentle"])
    spent_s, number, unsettled = 0.0, 0, 0
    claims: Sequence[str] = ()
    while spent_s < budget_s and not claims:
        number += 1
        played = rounds.play_by(strategy, random.Random(f"{seed}-{number}"))
        strategy.learn(played)
        claims = played.finding.claims
        spent_s += played.seconds
        unsettled += not played.finding.is_settled and not claims
    return {
        "kafka": rounds.kafka.name,
        "strategy": strategy_name,
        "seed": seed,
        "budget_s": budget_s,
        "schedules": number,
        "seconds": round(spent_s, 1),
        "unsettled": unsettled,
        "claims": list(claims),
    }


def rows_of(path: Path) -> list[Row]:
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kafkas", nargs="+")
    parser.add_argument("--strategy", choices=sorted(STRATEGIES), default="guided")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budget", type=float, default=300.0)
    parser.add_argument("--out", type=Path, default=SEARCHES)
    asked = parser.parse_args()
    for name in asked.kafkas:
        known = {(each["kafka"], each["strategy"], each["seed"]) for each in rows_of(asked.out)}
        left = [
            seed
            for seed in range(1, asked.seeds + 1)
            if (find_kafka(name).name, asked.strategy, seed) not in known
        ]
        if not left:
            continue
        with workshop() as place, Rounds(find_kafka(name), place, lambda _text: None) as rounds:
            for seed in left:
                began = time.monotonic()
                row = one_search(rounds, asked.strategy, seed, asked.budget)
                write_json(asked.out, [*rows_of(asked.out), row])
                say(f"{row} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
