"""The ten lines of the README, as a user would write them; CI runs them on two Kafkas."""

from __future__ import annotations

import pytest

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play


@pytest.mark.cluster
@pytest.mark.highwater(kafka=">=0.11")
def test_acknowledged_records_survive_the_death_of_their_leader(
    play: Play, partition: Partition
) -> None:
    before = partition.send(100)
    play.inject(Kill(partition.leader))
    partition.await_state("somebody else leads", lambda: partition.leader not in {-1, 1})
    after = partition.send(100)
    play.heal()

    assert before.all_acked
    assert after.all_acked
