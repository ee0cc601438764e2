"""A violation in words, and its likely reason by the record alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from highwater.checkers.catalogue import chosen
from highwater.harness.model import Answer, TopicPartition, Verdict
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import RunRecord
from highwater.reasons import likely_reason
from highwater.violations import SENTENCES, in_words, violation

PLACE = {"topic": "t", "partition": 0}
LOST = {**PLACE, "value": 2, "offset": 1, "acks": "all", "client": "producer-1"}
LOST |= {"invoked_ns": 100, "completed_ns": 500, "where": "on no replica"}
UNCLEAN = {"unclean.leader.election.enable": "true"}
Look = tuple[int, int, str]  # at_ns, leader, ISR


def recorded(tmp_path: Path, *looks: Look, acks: str = "all", **identity: Any) -> StoredRun:
    path = tmp_path / "run"
    with RunRecord(path, identity) as record:
        sends = record.history.sends("producer-1", TopicPartition("t"), acks, range(1, 4))
        sends.invoke(range(1, 4), [7, 8, 9])
        for value in range(1, 4):
            sends.acknowledged(value, value - 1)
        record.table(
            "replica_states",
            [
                {**PLACE, "at_ns": at_ns, "broker": 1, "leader": leader, "isr": isr}
                for at_ns, leader, isr in looks
            ],
        )
    return open_run(path)


def test_a_claim_says_what_it_means_and_shows_its_first_witness(tmp_path: Path) -> None:
    lost = Verdict(
        claim="lost-write",
        answer=Answer.VIOLATED,
        considered=11,
        anomalies=10,
        witnesses=[LOST, {**LOST, "value": 3}],
    )

    said = str(violation(lost, recorded(tmp_path)))

    assert said.splitlines() == [
        "lost-write: 10 of 11 sends acknowledged with acks=all",
        f"  the claim: {chosen(['lost-write'])[0].title}",
        (
            "  first witness: value 2, which producer-1 sent with acks=all and which stood at "
            "offset 1 of t-0, is on no replica"
        ),
    ]


@pytest.mark.parametrize(
    ("claim", "witness", "words"),
    [
        (
            "duplicate",
            {**PLACE, "value": 2, "offset": 1, "also_at": 7},
            "value 2 stands at offset 1 of t-0 and at offset 7 too",
        ),
        (
            "lost-write",
            {**LOST, "where": None},
            (
                "value 2, which producer-1 sent with acks=all and which stood at offset 1 of t-0, "
                "is read by nobody"
            ),
        ),
        (
            "stuck-broker",
            {"broker": 2, "since_ns": 1_200_000_000, "until_ns": 7_300_000_000, "looks": 40},
            "broker 2 ran, was registered and answered nothing from 1.2 s to 7.3 s",
        ),
        (
            "reordered",
            {
                **PLACE,
                "client": "c",
                "value": 3,
                "offset": 5,
                "after_value": 2,
                "after_offset": 6,
            },
            "c was given value 3 after value 2, and it stands at offset 5 of t-0, below offset 6",
        ),
        (
            "high-watermark-regression",
            {
                **PLACE,
                "broker": 1,
                "at_ns": 3_400_000_000,
                "leader_epoch": 0,
                "high_watermark": 2,
                "seen_before": 4,
            },
            (
                "the high watermark of t-0 at broker 1, its leader in epoch 0, was 2 at 3.4 s, "
                "and had been 4"
            ),
        ),
        ("of another version", {**PLACE, "client": "c"}, "topic t, partition 0, client c"),
        ("duplicate", {"value": 2}, "value 2"),
    ],
)
def test_a_witness_is_a_sentence_and_names_with_values_where_there_is_none(
    claim: str, witness: dict[str, Any], words: str
) -> None:
    assert in_words(claim, witness) == words


def test_each_claim_has_a_sentence() -> None:
    assert {claim.name for claim in chosen(None)} == SENTENCES.keys()


def test_an_unclean_election_is_the_reason_where_it_was_allowed_and_seen(tmp_path: Path) -> None:
    looks = [(100, 1, "1,2"), (600, -1, "2"), (2_000_000_000, 3, "3")]

    run = recorded(tmp_path, *looks, topic_settings=UNCLEAN)

    assert likely_reason("lost-write", LOST, run) == (
        "unclean.leader.election.enable=true: broker 3, which led from 2.0 s on, was not in the "
        "ISR (2) seen before"
    )


@pytest.mark.parametrize(
    ("looks", "settings"),
    [
        ([(100, 1, "1,2"), (600, 3, "3")], {}),  # seen, and not allowed: by whom, nobody knows
        ([(100, 1, "1,2"), (600, 2, "2")], UNCLEAN),  # allowed, and not what happened
        ([], UNCLEAN),
    ],
)
def test_an_election_that_was_not_both_is_no_reason(
    tmp_path: Path, looks: list[Look], settings: dict[str, str]
) -> None:
    run = recorded(tmp_path, *looks, topic_settings=settings)

    assert likely_reason("lost-write", LOST, run) == ""


def test_a_leader_alone_in_the_isr_is_the_reason_for_the_loss_of_what_it_acknowledged(
    tmp_path: Path,
) -> None:
    looks = [(100, 1, "1,2,3"), (400, 1, "1"), (900, 2, "2,3")]

    run = recorded(tmp_path, *looks, settings={"min.insync.replicas": "1"})

    assert likely_reason("lost-write", LOST, run) == (
        "when it was acknowledged broker 1 was alone in the ISR, and min.insync.replicas=1 allows "
        "that"
    )
    assert likely_reason("lost-write", {**LOST, "completed_ns": 300}, run) == ""


def test_a_send_that_asked_for_less_than_all_is_the_reason_for_an_offset_used_twice(
    tmp_path: Path,
) -> None:
    twice = {**PLACE, "offset": 1, "value": 2, "other_value": 9}

    run = recorded(tmp_path, acks="1")

    assert likely_reason("inconsistent-offsets", twice, run) == (
        "producer-1 sent value 2 with acks=1, which does not promise that a record outlives its "
        "leader"
    )


def test_what_the_brokers_files_say_is_known_as_well(tmp_path: Path) -> None:
    run = recorded(tmp_path, (100, 1, "1,2"), (600, 3, "3"))
    (run.path / "brokers" / "1").mkdir(parents=True)
    (run.path / "brokers" / "1" / "server.properties").write_text(
        "broker.id=1\nunclean.leader.election.enable=true\n"
    )

    assert "broker 3" in likely_reason("lost-write", LOST, run)
