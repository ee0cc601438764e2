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

SLOT_NS = 10 * MS
Key = tuple[int | None, int | None]  # partition and second
BySlot = dict[int, int | None]


class Reference:
    """Slot by slot, and in each of them from the beginning."""

    def __init__(self, rows: list[Row], events: list[dict[str, Any]], *, from_0: bool) -> None:
        told = {name: [row for table, row in rows if table == name]
                for name in ("history", "commits", "assignments", "replica_states")}  # fmt: skip
        self.from_0 = from_0
        self.sends = [row for row in told["history"] if row["acks"] == "all"]
        looks = told["replica_states"]
        self.looks = [row for row in looks if row["high_watermark"] is not None]
        self.commits = [row for row in told["commits"] if row["outcome"] == "ok"]
        self.assigned = told["assignments"]
        self.places = {row["partition"] for row in self.commits + self.assigned}
        stops = {each["client"]: each["at_ns"] for each in events}
        anew = [
            row["at_ns"] for row in self.assigned
            if row["at_ns"] < stops.get(row["client"], 10**18)
        ]  # fmt: skip
        self.ends = [
            (at, min((each for each in anew if each > at), default=10**18)) for at in stops.values()
        ]

    @property
    def until(self) -> int:
        ended = [(row["completed_ns"], row) for row in self.sends + self.commits]
        known = [*ended, *((row["at_ns"], row) for row in self.looks)]
        return max((at for at, row in known if row["partition"] in self.places), default=-1) // (
            SLOT_NS
        )

    def lag_of(self, partition: int, slot: int) -> int | None:
        before_ns = (slot + 1) * SLOT_NS
        ends = [
            row["offset"] + 1 for row in self.sends
            if row["partition"] == partition and row["completed_ns"] < before_ns
        ] + [
            row["high_watermark"] for row in self.looks
            if row["partition"] == partition and row["at_ns"] < before_ns
        ]  # fmt: skip
        past = [
            (row["completed_ns"], row["offset"]) for row in self.commits
            if row["partition"] == partition and row["completed_ns"] < before_ns
        ]  # fmt: skip
        if not ends or not (past or self.from_0 or max(ends) == 0):
            return None
        return int(max(0, max(ends) - (max(past)[1] if past else 0)))

    def asked(self, partition: int) -> list[int]:
        since = [row["completed_ns"] for row in self.commits if row["partition"] == partition]
        since += [row["at_ns"] for row in self.assigned if row["partition"] == partition]
        return [
            slot for slot in range(min(since) // SLOT_NS, self.until + 1)
            if not any(one // SLOT_NS <= slot < other // SLOT_NS for one, other in self.ends)
        ]  # fmt: skip

    def rows(self) -> Iterator[tuple[Key, Lag]]:
        both: BySlot = {}
        for partition in sorted(self.places):
            own = {slot: self.lag_of(partition, slot) for slot in self.asked(partition)}
            for slot, lag in own.items():
                summed = both.get(slot)
                both[slot] = summed if lag is None else lag + (summed or 0)
            yield from summed_up(partition, own, self.until)
        yield from summed_up(None, both, self.until)


def summed_up(partition: int | None, by_slot: BySlot, until: int) -> Iterator[tuple[Key, Lag]]:
    if not by_slot:
        return
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
        expected = dict(Reference(rows, events, from_0=from_0).rows())

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
