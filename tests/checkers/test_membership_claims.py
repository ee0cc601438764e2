"""Replicas in sync: what each may lack that began later, or has just become a member."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Say, asked, look, replica, stored

pytestmark = pytest.mark.spark


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


# lagging-in-sync

LATE = 120 * 10**9


def test_one_that_joined_the_isr_just_now_needs_no_more_than_the_high_watermark(
    both_say: Say,
) -> None:
    """Partition.isFollowerInSync asks for the high watermark and the start of the epoch only."""
    alone = [look(1, 1, 100, 50, isr="1"), look(LATE, 1, 100, 50, isr="1")]
    joined = [look(LATE + 5, 2, 50, 50, isr="1,2"), look(LATE + 9, 1, 100, 50, isr="1,2")]

    said = both_say("lagging-in-sync", alone, joined)

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_one_that_was_out_of_the_isr_meanwhile_has_joined_it_anew(both_say: Say) -> None:
    looks = [look(1, 1, 100, 50), look(9, 2, 50, 50), look(LATE // 2, 3, 60, 50, isr="1,3")]

    said = both_say("lagging-in-sync", looks, look(LATE + 5, 2, 50, 50))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_a_look_that_knows_no_isr_does_not_say_that_one_was_in_it(both_say: Say) -> None:
    looks = [look(1, 1, 100, 50, isr=None), look(LATE + 5, 2, 50, 50)]

    said = both_say("lagging-in-sync", looks)

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_one_that_was_a_member_at_every_look_since_must_have_caught_up(both_say: Say) -> None:
    out_before = [look(1, 1, 90, 90, isr="1"), look(2, 1, 100, 50, isr="1,2")]
    looks = [look(3, 3, 20, 20, isr=None), look(4, 2, 20, 20, isr="1,2")]

    said = both_say("lagging-in-sync", out_before, looks, look(LATE + 5, 2, 99, 99, isr="1,2"))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses[0]["leader_had"] == 100


def test_one_without_which_too_few_are_in_sync_may_have_joined_anew_unseen(both_say: Say) -> None:
    """The watermark waits while it is out (KAFKA-15583), so its next fetch lets it in again."""
    looks = [look(1, 1, 100, 50, isr="1,2"), look(LATE + 5, 2, 50, 50, isr="1,2")]

    few = both_say("lagging-in-sync", looks, topic_settings={"min.insync.replicas": "2"})
    enough = both_say("lagging-in-sync", looks, topic_settings={"min.insync.replicas": "1"})

    assert (few.answer, few.considered) == (UNKNOWN, 1)
    assert few.reason == "1 undecided, may have joined the ISR anew between two looks"
    assert enough.answer is VIOLATED


# leader-high-watermark


def test_a_fetch_counts_in_all_of_the_term_that_it_was_seen_in(both_say: Say) -> None:
    told = [look(1, 1, 9, 7, leader_epoch=2), asked(2, 2, 8), asked(2, 3, 9)]
    looks = [look(at, 1, 9, 7, leader_epoch=2, quiet=True) for at in (3, 4)]

    said = both_say("leader-high-watermark", told, looks)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 2)
    assert [witness["at_ns"] for witness in said.witnesses] == [3, 4]


def test_a_look_that_tells_no_epoch_may_be_of_a_later_term_than_one_that_does(
    both_say: Say,
) -> None:
    """What followers told the leader before may be forgotten by then."""
    told = [look(1, 1, 9, 7, leader_epoch=2), asked(2, 2, 8), asked(2, 3, 9)]

    said = both_say("leader-high-watermark", told, look(3, 1, 9, 7, leader_epoch=None, quiet=True))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_metadata_of_an_earlier_term_may_come_late(both_say: Say) -> None:
    """After it nobody knows anew since when the leader leads."""
    new, old = ({"leader_epoch": 3}, {"leader_epoch": 2})
    told = [look(1, 1, 9, 7, **new), asked(2, 2, 8), asked(2, 3, 9), look(3, 1, 9, 7, **old)]

    said = both_say("leader-high-watermark", told, look(4, 1, 9, 7, **new, quiet=True))

    assert (said.answer, said.considered) == (UNKNOWN, 0)
