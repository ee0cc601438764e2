"""Rules and the engine: which frames are meant, how often, and what is decided about them."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import Any

import pytest

from highwater.harness.gate.engine import Passage, RuleEngine
from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.frames import (
    Frame,
    PartitionView,
    TopicNames,
    follower_of,
    request_views,
)
from highwater.harness.gate.headers import encode_request, read_request_header
from highwater.harness.gate.rules import Action, Match, Rule, Trigger, link_blocked

FETCH, LIST_OFFSETS, EPOCHS = 1, 2, 23
TOPIC_ID = "6f1f9a52-4a0f-4f0f-9d0e-0a5b1c2d3e4f"


def frame(*views: PartitionView, **fields: Any) -> Frame:
    shape: dict[str, Any] = {
        "stage": "response",
        "leader": 1,
        "follower": 2,
        "client_id": "broker-2-fetcher-0",
        "api_key": FETCH,
        "length": 1000,
    }
    return Frame(**{**shape, **fields}, decode=lambda: views)


def view(**fields: Any) -> PartitionView:
    shape: dict[str, Any] = {"topic": "t", "partition": 0, "fetch_offset": 5, "record_bytes": 0}
    return PartitionView(**{**shape, **fields})


@pytest.mark.parametrize(
    ("match", "is_meant"),
    [
        (Match(), True),
        (Match(stage="response"), True),
        (Match(stage="request"), False),
        (Match(apis=(FETCH, EPOCHS)), True),
        (Match(apis=(EPOCHS,)), False),
        (Match(apis=()), False),
        (Match(follower=2, leader=1), True),
        (Match(follower=3), False),
        (Match(leader=2), False),
        (Match(follower=2, spared=(100, 101)), True),
        (Match(follower=2, spared=(1,)), False),
        (Match(client_id="broker-2-fetcher-0"), True),
        (Match(client_id="broker-2"), False),
        (Match(topic="t"), True),
        (Match(topic="u"), False),
        (Match(topic="t", partition=0), True),
        (Match(topic="t", partition=1), True),
        (Match(topic="t", partition=2), False),
        (Match(topic="t", partition=0, fetch_offset=5), True),
        (Match(topic="t", partition=1, fetch_offset=5), False),
        (Match(min_fetch_offset=9), True),
        (Match(min_fetch_offset=10), False),
        (Match(stage="response", with_records=True), True),
        (Match(stage="response", with_records=False), False),
        (Match(stage="response", with_records=False, partition=0), True),
        (Match(stage="response", with_records=True, partition=0), False),
        (Match(topic_id=TOPIC_ID), False),
    ],
)
def test_a_match_means_a_frame_only_if_all_it_names_agrees(match: Match, is_meant: bool) -> None:
    answer = frame(view(), view(partition=1, fetch_offset=9, record_bytes=70))

    assert match.matches(answer) is is_meant


def test_only_fetch_answers_have_or_lack_records() -> None:
    epochs = frame(view(record_bytes=None), api_key=EPOCHS)

    assert not Match(stage="response", with_records=False).matches(epochs)
    assert not Match(stage="response", with_records=True).matches(epochs)


@pytest.mark.parametrize(
    ("trigger", "fired"),
    [
        (Trigger("once"), [1]),
        (Trigger("nth", 3), [3]),
        (Trigger("times", 2), [1, 2]),
        (Trigger("always"), [1, 2, 3, 4]),
    ],
)
def test_a_trigger_fires_on_its_frames_only(trigger: Trigger, fired: list[int]) -> None:
    engine = RuleEngine()
    engine.add(Rule(Match(), Action("hold"), trigger, rule_id="r"))

    outcomes = [engine.judge(Passage(frame())).outcome for _ in range(4)]

    assert [n for n, outcome in enumerate(outcomes, 1) if outcome == "hold"] == fired


def test_a_rule_sleeps_on_each_link_until_the_frame_it_waits_for_has_been_delivered() -> None:
    engine = RuleEngine()
    records = Match(stage="response", with_records=True)
    state = engine.add(Rule(Match(stage="response"), after=records, rule_id="r"))
    first, empty = frame(view(record_bytes=9)), frame(view())
    elsewhere = frame(view(), follower=3)
    passage = Passage(first)

    before = engine.judge(passage).outcome
    undelivered = engine.judge(Passage(empty)).outcome
    woken = engine.delivered(passage)
    after = engine.judge(Passage(empty)).outcome
    other_link = engine.judge(Passage(elsewhere)).outcome

    assert (before, undelivered, after, other_link) == ("pass", "pass", "hold", "pass")
    assert woken == (state,)
    assert state.counters.matched == 1


def test_a_rule_put_back_to_sleep_waits_anew() -> None:
    engine = RuleEngine()
    state = engine.add(Rule(Match(), after=Match(apis=(EPOCHS,)), rule_id="r"))
    engine.delivered(Passage(frame(api_key=EPOCHS)))
    engine.put_to_sleep([state])

    assert engine.judge(Passage(frame())).outcome == "pass"


@pytest.mark.parametrize(
    ("action", "outcome", "counted", "wait_s"),
    [
        (Action("hold"), "hold", "held", 0.0),
        (Action("drop"), "drop", "dropped", 0.0),
        (Action("cut"), "cut", "cut", 0.0),
        (Action("delay", delay_ms=250), "wait", "delayed", 0.25),
        (Action("limit", bytes_per_s=500), "wait", "delayed", 2.0),
        (Action("watch"), "pass", "matched", 0.0),
    ],
)
def test_each_action_has_its_outcome_and_its_counter(
    action: Action, outcome: str, counted: str, wait_s: float
) -> None:
    engine = RuleEngine()
    state = engine.add(Rule(Match(), action, rule_id="r"))

    judgement = engine.judge(Passage(frame()))

    assert (judgement.outcome, judgement.wait_s) == (outcome, wait_s)
    assert getattr(state.counters, counted) == 1


def test_a_frame_passed_by_one_hold_is_held_by_the_next_and_never_twice_by_one() -> None:
    engine = RuleEngine()
    first = engine.add(Rule(Match(), rule_id="first"))
    passage = Passage(frame())

    held_by_first = engine.judge(passage).rule
    second = engine.add(Rule(Match(), rule_id="second"))
    held_by_second = engine.judge(passage).rule
    at_last = engine.judge(passage).outcome
    engine.delivered(passage)

    assert (held_by_first, held_by_second, at_last) == (first, second, "pass")
    assert (first.counters.held, first.counters.passed, second.counters.passed) == (1, 1, 1)


def test_a_retired_rule_looks_at_nothing_and_keeps_its_counters() -> None:
    engine = RuleEngine()
    state = engine.add(Rule(Match(), Action("drop"), rule_id="r"))
    engine.judge(Passage(frame()))
    engine.retire(state)

    assert engine.judge(Passage(frame())).outcome == "pass"
    assert engine.state("r").counters.dropped == 1
    assert not engine.is_interested(frame())


def test_a_frame_that_no_rule_could_mean_is_of_no_interest() -> None:
    engine = RuleEngine()
    engine.add(replace(link_blocked(follower=2, leader=1), rule_id="r"))

    assert engine.is_interested(frame())
    assert not engine.is_interested(frame(follower=3))
    assert not engine.is_interested(frame(leader=2))


def test_a_frame_that_a_rule_waits_for_is_of_interest() -> None:
    engine = RuleEngine()
    engine.add(Rule(Match(apis=(FETCH,)), after=Match(apis=(EPOCHS,)), rule_id="r"))

    assert engine.is_interested(frame(api_key=EPOCHS))
    assert not engine.is_interested(frame(api_key=LIST_OFFSETS))


def test_answers_pass_as_they_come_where_a_rule_means_requests_of_a_topic() -> None:
    engine = RuleEngine()
    engine.add(Rule(Match(stage="request", topic="t"), rule_id="held"))

    asked, answer = frame(stage="request", api_key=0), frame(stage="response", api_key=0)

    assert (engine.keeps(asked), engine.is_interested(asked)) == (True, True)
    assert not engine.is_interested(answer)


def test_a_topic_id_without_a_name_is_counted_as_unreadable() -> None:
    engine = RuleEngine()
    state = engine.add(Rule(Match(topic="t"), rule_id="r"))

    outcome = engine.judge(Passage(frame(view(topic=None, topic_id=TOPIC_ID)))).outcome

    assert outcome == "pass"
    assert state.counters.unreadable == 1


def test_a_rule_travels_as_json() -> None:
    rule = Rule(
        Match(
            stage="response",
            apis=(1, 23),
            topic="t",
            min_fetch_offset=4,
            with_records=True,
            spared=(9,),
        ),
        Action("hold", keep_after_close=True),
        Trigger("nth", 2),
        after=Match(apis=(1,)),
        rule_id="r",
    )

    assert Rule.from_json(json.loads(json.dumps(rule.to_json()))) == rule


@pytest.mark.parametrize(
    "build",
    [
        lambda: Match(with_records=True),
        lambda: Match(stage="answer"),  # type: ignore[arg-type]
        lambda: Trigger("nth", 0),
        lambda: Trigger("never"),  # type: ignore[arg-type]
        lambda: Action("limit"),
        lambda: Action("explode"),  # type: ignore[arg-type]
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(build: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        build()


def fetch_frame(version: int, replica_id: int, client_id: str) -> bytes:
    topic = "t" if version < 13 else None
    topic_id = None if version < 13 else uuid.UUID(TOPIC_ID)
    request = FetchRequest(replica_id, (FetchedPartition(topic, topic_id, 0, 5),))
    return encode_request(FETCH, version, 1, client_id, encode_fetch_request(request, version))


@pytest.mark.parametrize(
    ("version", "replica_id", "client_id", "follower"),
    [
        (2, 3, "ReplicaFetcherThread-0-1", 3),
        (2, -1, "consumer", None),
        (2, -2, "probe", None),
        (11, -1, "broker-4-fetcher-0", 4),
        (13, 3, "anything", 3),
        (17, 3, "anything", 3),
        (18, -1, "consumer", None),
        (11, -1, "broker-4-fetcher-0-more", None),
    ],
)
def test_a_follower_is_known_by_client_id_or_else_by_replica_id(
    version: int, replica_id: int, client_id: str, follower: int | None
) -> None:
    raw = fetch_frame(version, replica_id, client_id)

    assert follower_of(raw, read_request_header(raw)) == follower


@pytest.mark.parametrize("version", [2, 11, 12, 13, 15, 18])
def test_a_topic_is_found_by_name_in_every_version_once_its_id_is_known(version: int) -> None:
    raw = fetch_frame(version, 3, "broker-3-fetcher-0")
    names = TopicNames()
    names.learn("t", uuid.UUID(TOPIC_ID))

    (seen,) = request_views(raw, read_request_header(raw), names)

    assert (seen.topic, seen.partition, seen.fetch_offset) == ("t", 0, 5)
