"""Replicas in sync: what each may lack that began later, or has just become a member."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.checkers.conftest import HELD, VIOLATED, replica, stored

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

Say = Callable[..., Verdict]


# replica-divergence

TIERED = {"remote.storage.enable": "true", "local.retention.ms": "1000"}


def test_local_logs_of_a_tiered_topic_may_begin_at_different_offsets(both_say: Say) -> None:
    """Each replica deletes what is in remote storage by itself (KIP-405)."""
    rows = [replica(1, 3), replica(2, 3), stored(1, 2, 7), stored(2, 1, 6), stored(2, 2, 7)]

    tiered = both_say("replica-divergence", rows, topic_settings=TIERED)
    local = both_say("replica-divergence", rows)

    assert (tiered.answer, tiered.considered) == (HELD, 1)
    assert (local.answer, local.anomalies) == (VIOLATED, 1)


def test_a_replica_of_a_tiered_topic_has_all_from_its_first_local_record_on(both_say: Say) -> None:
    rows = [replica(1, 3), replica(2, 3), stored(1, 1, 6), stored(1, 2, 7), stored(2, 0, 5),
            stored(2, 2, 7)]  # fmt: skip

    said = both_say("replica-divergence", rows, topic_settings=TIERED)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert said.witnesses[0]["held"] == "1: value 6 (epoch 0); 2: nothing"
