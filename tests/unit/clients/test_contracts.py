"""What an application can be held to in a play, and what is recorded of it, without a cluster."""

from __future__ import annotations

from typing import Any, cast

import pytest
from tests.unit.clients.contracts import Play, Source

from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.clients.terms import Terms
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.workloads.producer import ProducerSettings

TERMS = Terms(group="billing")


@pytest.fixture
def play(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Play:
    return Play(tmp_path, monkeypatch)


def test_positions_are_asked_for_first_and_inputs_are_read_last(play: Play) -> None:
    terms = Terms(each="at least", group="billing", identity="json:of", keeps=("order", "key"))
    held = play.application().contract(Source("orders"), Source("bills"), terms)
    play.ends = {TopicPartition("orders"): 4, TopicPartition("bills"): 4}

    held.record()

    assert play.asked == ["billing", "bills", "orders"]
    assert play.told("input", "offset", "identity", "each", "keeps") == [
        (at, known, "at least", "key,order")
        for at, known in enumerate(["a", "b", None, '{"of": "c"}'])
    ]
    assert [each for (each,) in play.told("output", "identity")] == [None, None, None, "c"]
    assert play.told("position", "topic", "offset") == [("orders", 3)]
    assert play.told("outputs-end", "topic", "offset") == [("bills", 4)]
    assert play.told("inputs-end", "topic", "offset") == [("orders", 4)]


def test_of_a_compacted_topic_nobody_says_that_all_was_read(play: Play) -> None:
    held = play.application().contract(Source("orders"), Source("bills"), TERMS)
    play.identity["topics"] = {"bills": {"cleanup.policy": "compact,delete"}}

    held.record()

    assert (play.told("outputs-end"), len(play.told("inputs-end"))) == ([], 1)


@pytest.mark.parametrize("told", ["settings", "broker_settings"])
def test_brokers_may_compact_what_a_topic_says_nothing_of(play: Play, told: str) -> None:
    held = play.application().contract(Source("orders"), Source("bills"), TERMS)
    policy = {"log.cleanup.policy": "compact"}
    play.identity[told] = {"2": policy} if told == "broker_settings" else policy
    play.identity["topics"] = {"bills": {}, "orders": {"cleanup.policy": "delete"}}

    held.record()

    assert (play.told("outputs-end"), len(play.told("inputs-end"))) == ([], 1)


def test_a_function_that_breaks_makes_nothing_out_and_is_told(play: Play) -> None:
    terms = Terms(group="billing", identity=lambda record: cast("bytes", record.value).decode())
    held = play.application().contract(Source("orders"), Source("bills"), terms)

    held.record()

    known = [each for (each,) in play.told("output", "identity")]
    assert known == ["a", "b", None, '{"of": "c"}']
    (note,) = play.notes
    assert note.startswith("no identity of 1 records of bills, the first: bills-0 at offset 2: Att")


def test_what_is_handed_over_is_asked_for_after_the_position(play: Play) -> None:
    held = play.application().contract(Source("orders"), terms=TERMS)

    held.hand_over(lambda: [play.asked.append("rows"), "a", 7, None])  # type: ignore[func-returns-value]
    held.record()

    assert play.asked == ["billing", "rows", "orders"]
    assert play.told("output", "topic", "offset", "identity") == [
        ("handed-over", 0, None), ("handed-over", 1, "a"), ("handed-over", 2, "7"),
        ("handed-over", 3, None),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="and to be handed them once"):
        held.hand_over(list)


def test_outputs_that_nobody_handed_over_prove_nothing(play: Play) -> None:
    held = play.application().contract(Source("orders"), terms=TERMS)

    with pytest.raises(PreconditionError, match="outputs of billing to be handed over, saw none"):
        held.record()


def test_outputs_of_a_topic_are_not_handed_over(play: Play) -> None:
    held = play.application().contract(Source("orders"), Source("bills"), TERMS)

    with pytest.raises(UsageError, match="to have no topic of outputs"):
        held.hand_over(list)


def test_who_has_no_group_has_no_position(play: Play) -> None:
    terms = Terms(each="at most")
    held = play.application().contract(Source("orders"), Source("bills"), terms)

    held.record()

    assert play.told("position") == []
    for ask in (held.await_caught_up, lambda: held.committed, lambda: held.await_committed(1)):
        with pytest.raises(UsageError, match="expected billing to have a group in its terms"):
            cast("Any", ask)()


def test_each_contract_has_a_name_of_its_own(play: Play) -> None:
    app, bills = play.application(), Source("bills")

    held = [app.contract(Source("orders"), bills, TERMS) for _ in range(2)]
    other = play.application("mail").contract(Source("orders"), Source("mails"), TERMS)

    assert [each.name for each in (*held, other)] == ["billing", "billing#2", "mail"]
    assert play.crew.contracts == [*held, other]


def test_nobody_else_sends_to_where_an_application_sends(play: Play) -> None:
    bills = Source("bills")
    play.application().contract(Source("orders"), bills, TERMS)

    with pytest.raises(UsageError, match="an application sends to bills"):
        play.crew.load(bills, None, ProducerSettings()).__enter__()
    with pytest.raises(UsageError, match="an application sends to bills"):
        play.crew.group("readers", bills, 1, ConsumerSettings()).__enter__()
    with pytest.raises(UsageError, match="an application sends to bills"):
        play.history.sends("p", TopicPartition("bills"), "all", range(1))


def test_a_topic_to_which_somebody_has_sent_is_no_topic_of_outputs(play: Play) -> None:
    play.ends = {TopicPartition("bills"): 5}

    with pytest.raises(UsageError, match="in a topic that is empty, saw bills is not"):
        play.application().contract(Source("orders"), Source("bills"), TERMS)


def test_a_topic_that_somebody_knows_already_is_none_either(play: Play) -> None:
    bills = Source("bills")
    bills.attach("readers")

    with pytest.raises(UsageError, match="that no client knows, saw readers"):
        play.application().contract(Source("orders"), bills, TERMS)


@pytest.mark.parametrize(
    ("inputs", "into", "terms", "words"),
    [
        (Source("orders"), Source("orders"), TERMS, "another topic of outputs"),
        ("orders", Source("bills"), TERMS, "expected what play.topic"),
        (Source("orders"), "bills", TERMS, "expected what play.topic"),
        (Source("orders"), Source("bills"), {"each": "exactly"}, "expected Terms"),
        (Source("orders"), Source("bills"), Terms(), "expected group to be its group.id"),
    ],
)
def test_what_is_no_contract_is_refused(
    inputs: Any, into: Any, terms: Any, words: str, play: Play
) -> None:
    with pytest.raises(UsageError, match=words):
        play.application().contract(inputs, into, terms)


@pytest.mark.parametrize("name", ["", "a b", 3, None, "-x", "a" * 101])
def test_what_no_application_can_be_called_is_refused(name: Any, play: Play) -> None:
    with pytest.raises(UsageError, match="expected an application's name of at most 100"):
        play.application(name)
