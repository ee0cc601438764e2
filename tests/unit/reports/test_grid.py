"""What a strip of offsets says of records on replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from highwater.harness.record.ends import ReplicaEnd
from highwater.reports.grid import MOST_OFFSETS, Grid, grid
from highwater.reports.holdings import Acked, Holdings, Stored

Log = Mapping[int, int]  # offset to value


def _holdings(acked: Log, logs: Mapping[int, Log], *, leader: int = 1) -> Holdings:
    return Holdings(
        where=("t", 0),
        acked={offset: [Acked(value, offset, "all")] for offset, value in acked.items()},
        read={},
        logs={
            broker: {
                offset: [Stored(value, 3, False, value * 31, None)] for offset, value in log.items()
            }
            for broker, log in logs.items()
        },
        ends={
            broker: ReplicaEnd(
                broker, 0, max(log, default=-1) + 1, 0, broker == leader, True, 3, True
            )
            for broker, log in logs.items()
        },
    )


def _kinds(shown: Grid, label: str) -> list[str]:
    row = next(row for row in shown.rows if row.label == label)
    return [square.kind for square in row.squares]


def test_a_record_that_is_nowhere_is_lost_on_every_replica() -> None:
    shown = grid(_holdings({0: 0, 1: 1}, {1: {0: 0}, 2: {0: 0}}))

    assert _kinds(shown, "acked") == ["same", "lost"]
    assert _kinds(shown, "broker 2") == ["same", "lost"]
    (fate,) = shown.fates
    assert fate == (
        "1 acknowledged record (acks=all, offset 1, value 1): on no replica; "
        "the log of leader 1 ends at offset 1."
    )


def test_a_record_that_a_follower_still_has_names_it_and_what_the_leader_has() -> None:
    shown = grid(_holdings({0: 0, 1: 1}, {1: {0: 0, 1: 8}, 2: {0: 0, 1: 1}}))

    assert _kinds(shown, "broker 1") == ["same", "diverged"]
    assert _kinds(shown, "broker 2") == ["same", "diverged"]
    assert "still on broker 2; leader 1 holds other records" in shown.fates[0]


def test_a_record_only_on_a_follower_is_marked_as_extra() -> None:
    shown = grid(_holdings({0: 0}, {1: {0: 0}, 2: {0: 0, 1: 1}}))

    assert _kinds(shown, "broker 2") == ["same", "extra"]


def test_nothing_is_called_lost_where_no_log_was_read() -> None:
    shown = grid(_holdings({0: 0, 1: 1}, {}))

    assert _kinds(shown, "acked") == ["same", "same"]
    assert not shown.fates
    assert shown.note == "The log of no replica was read."


def test_a_replica_with_an_end_and_no_records_was_not_read() -> None:
    holdings = _holdings({0: 0}, {2: {0: 0}}, leader=2)
    end = ReplicaEnd(1, 0, 1, 1, False, True, 3, True)

    shown = grid(Holdings(("t", 0), holdings.acked, {}, holdings.logs, {**holdings.ends, 1: end}))

    assert _kinds(shown, "broker 1") == ["unread"]
    assert shown.note == "The log of broker 1 was not read."


def test_of_two_that_claim_to_lead_the_later_one_does() -> None:
    holdings = _holdings({0: 0}, {1: {0: 0}, 2: {0: 0}})
    later = ReplicaEnd(2, 0, 1, 1, True, True, 4, True)

    both = Holdings(("t", 0), holdings.acked, {}, holdings.logs, {**holdings.ends, 2: later})

    assert both.leader == 2


def test_agreement_is_said() -> None:
    shown = grid(_holdings({0: 0}, {1: {0: 0}, 2: {0: 0}}))

    assert shown.note == "Every replica agrees with what was acknowledged."


def test_a_long_log_is_cut_to_the_neighbourhood_of_findings_and_says_so() -> None:
    healthy = {offset: offset for offset in range(1000)}
    missing = {offset: value for offset, value in healthy.items() if offset not in (500, 900)}

    shown = grid(_holdings(healthy, {1: missing}))

    assert shown.offsets == [498, 499, 500, 501, 502, 898, 899, 900, 901, 902]
    assert shown.breaks == {898}
    assert shown.note == "990 offsets left out, none with a finding."


def test_findings_beyond_the_cap_are_counted() -> None:
    healthy = {offset: offset for offset in range(200)}

    shown = grid(_holdings(healthy, {1: {0: 0}}))

    assert len(shown.offsets) == MOST_OFFSETS
    assert shown.note == "140 offsets left out, 140 of them with a finding."


def test_a_topic_that_was_created_again_is_said_to_be_one_of_several() -> None:
    first = _holdings({0: 0}, {1: {0: 0}})

    assert "called" not in grid(first).note
    assert grid(replace(first, where=("t#2", 0))).note.startswith(
        "Topic 2 of those that were called t, one after the other."
    )
