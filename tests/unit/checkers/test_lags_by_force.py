"""How far groups lagged behind, by brute force on histories of chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import Row, _write_run, judgement_under
from tests.checkers.groups import EARLIEST, NOBODY, Lag, chance_rows
from tests.checkers.timelines import MS


def reference(
    rows: list[Row], events: list[dict[str, Any]], *, from_0: bool
) -> Iterator[tuple[tuple[int | None, int | None], Lag]]:
    """Slot by slot, and in each of them from the beginning."""
    slot_ns = 10 * MS
    told = {name: [row for table, row in rows if table == name]
            for name in ("history", "commits", "assignments", "replica_states")}  # fmt: skip
    sends = [row for row in told["history"] if row["acks"] == "all"]
    looks = [row for row in told["replica_states"] if row["high_watermark"] is not None]
    commits = [row for row in told["commits"] if row["outcome"] == "ok"]
    stops = {each["client"]: each["at_ns"] for each in events}
    places = {row["partition"] for row in commits + told["assignments"]}
    mine = [*((row["completed_ns"], row) for row in sends + commits),
            *((row["at_ns"], row) for row in looks)]  # fmt: skip
    until = max((at for at, row in mine if row["partition"] in places), default=-1) // slot_ns
    anew = [
        row["at_ns"] for row in told["assignments"] if row["at_ns"] < stops.get(row["client"], 1e18)
    ]
    members = {row["client"] for row in told["assignments"]} | {*stops}
    ends = [
        (at, min((a for a in anew if a > at), default=10**18))
        for client, at in stops.items() if client in members
    ]  # fmt: skip

    def lag_of(partition: int, slot: int) -> int | None:
        own = [
            row["offset"] + 1 for row in sends
            if row["partition"] == partition and row["completed_ns"] // slot_ns <= slot
        ] + [
            row["high_watermark"] for row in looks
            if row["partition"] == partition and row["at_ns"] // slot_ns <= slot
        ]  # fmt: skip
        past = [
            (row["completed_ns"], row["offset"]) for row in commits
            if row["partition"] == partition and row["completed_ns"] // slot_ns <= slot
        ]  # fmt: skip
        if not own or not (past or from_0 or max(own) == 0):
            return None
        return max(0, max(own) - (max(past)[1] if past else 0))

    found: dict[int, dict[int, int | None]] = {}
    for partition in sorted(places):
        first = min(
            [row["completed_ns"] for row in commits if row["partition"] == partition]
            + [row["at_ns"] for row in told["assignments"] if row["partition"] == partition]
        )
        asked = [
            slot for slot in range(first // slot_ns, until + 1)
            if not any(since // slot_ns <= slot < end // slot_ns for since, end in ends)
        ]  # fmt: skip
        if asked:
            found[partition] = {slot: lag_of(partition, slot) for slot in asked}
    both: dict[int, int | None] = {}
    for each in found.values():
        for slot, lag in each.items():
            summed = both.get(slot)
            both[slot] = summed if lag is None else lag + (summed or 0)
    for partition, by_slot in {None: both, **found}.items() if found else ():
        yield from summed_up(partition, by_slot, until)


def summed_up(
    partition: int | None, by_slot: dict[int, int | None], until: int
) -> Iterator[tuple[tuple[int | None, int | None], Lag]]:
    known = {slot: lag for slot, lag in by_slot.items() if lag is not None}
    yield (partition, None), (max(known.values()), known[max(known)]) if known else NOBODY
    for second in {slot // 100 for slot in known}:
        own = {slot: lag for slot, lag in known.items() if slot // 100 == second}
        yield (partition, second), (max(own.values()), known.get(min(100 * second + 99, until)))


@pytest.mark.parametrize("from_0", [True, False])
@pytest.mark.parametrize("first_seed", range(0, 80, 20))
def test_it_is_what_brute_force_finds(tmp_path: Path, first_seed: int, *, from_0: bool) -> None:
    identity = {"groups": EARLIEST if from_0 else {}}
    for seed in range(first_seed, first_seed + 20):
        rows, events = chance_rows(random.Random(seed))
        said = judgement_under(_write_run(tmp_path / str(seed), rows, **identity), events)
        expected = dict(reference(rows, events, from_0=from_0))

        told = {
            (row["partition"], row["second"]): (row["lag_records"], row["last_records"])
            for row in said.lags.to_pylist()
        }

        # A second in which nothing changed has no row, and what it would say is what was before.
        for key, (most, last) in expected.items():
            if key in told:
                assert told[key] == (most, last), (seed, key)
            else:
                before = [at for part, at in told if part == key[0] and at and at < (key[1] or 0)]
                assert most == last == told[key[0], max(before, default=0)][1], (seed, key)
        assert told.keys() <= expected.keys(), seed
