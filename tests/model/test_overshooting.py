"""Who commits what a log once held is charged with nothing, whatever that log has lost since."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.model.choices import Seeded
from tests.model.clients import Commit
from tests.model.disks import disks_of
from tests.model.evidence import Case, Evidence
from tests.model.judged import judged_here
from tests.model.program import heal, play
from tests.model.reading import read_all
from tests.model.world import HAZARDS, Settings
from tests.model.written import write

from highwater.harness.model import Answer

STORIES = 30


def _cut_short(seed: int) -> Case:
    """A log that may lose what it had, and a group that commits as far as it ever reached."""
    choices, chance = Seeded(seed), random.Random(seed)
    settings = Settings(
        steps=80,
        faults=True,
        hazards=frozenset(chance.sample(HAZARDS, chance.choice((1, 2)))),
        transactions=chance.random() < 0.5,
        weak_acks=chance.random() < 0.4,
        sends_again=chance.random() < 0.3,
    )
    world = play(choices, settings)
    heal(world)
    read_all(world)
    (log,) = world.partitions
    world.commits.append(Commit(7, log, log.longest, "g7-1", world.now_ns))
    evidence = Evidence(tells_clients=chance.random() < 0.5)
    return Case(world, disks_of(choices, world.partitions), evidence, settings, [])


@pytest.mark.on_demand
def test_a_position_that_a_log_once_reached_is_never_charged(tmp_path: Path) -> None:
    found: Counter[tuple[bool, Answer]] = Counter()
    for seed in range(STORIES):
        case = _cut_short(seed)
        (log,) = case.world.partitions
        is_shorter_now = log.longest > log.lead.end
        said = judged_here(write(case, tmp_path / str(seed)))["committed-beyond-end"]
        found[is_shorter_now, said.answer] += 1

    assert not found[False, Answer.VIOLATED] + found[True, Answer.VIOLATED]
    assert found[False, Answer.HELD] == sum(found[False, each] for each in Answer)
    assert found[True, Answer.UNKNOWN] > 0  # what is gone, and nobody told of
