"""Records that look as a user's service reads them are judged as ours are."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from tests.unit.foreign.scripts import changed, command

from highwater.faults.kill import Kill
from highwater.harness import closing, evidence
from highwater.harness.clients.settings import PipelineSettings, Transactions
from highwater.harness.errors import UsageError
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.topic import Topic
from highwater.harness.workloads.pattern import Pattern
from highwater.harness.workloads.producer import ProducerSettings

LAG = {"replica.lag.time.max.ms": "10000"}
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.on_demand(together="tests/cluster/test_patterns.py"),
    pytest.mark.highwater(settings=LAG, kafka=">=2.5"),
]
ORDER = Pattern("json:order.id", {"order": {"by": "Ågot"}, "amount": 17})
BY_HEADER = Pattern("header:order-id", {"amount": 17})
PATTERNS = [ORDER, Pattern("key", "an order"), BY_HEADER]
NO_HEADERS = changed('"headers": ["producer", "member"]', '"headers": ["others"]')


def told(play: Play, topic: Topic) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What clients saw, and what the leaders of a topic have in their logs."""
    closing.settle(play)
    play.record.flush()
    leaders = [(each, each.leader) for each in topic]
    logs = pa.concat_tables(evidence.log_parts(play.scene, leaders)).to_pandas()
    return open_run(play.record.path).table("history").to_pandas(), logs.query("not is_control")


def require_known(play: Play, topic: Topic) -> None:
    """Each record that was handed out, or lies in a log, is one that was sent, as it was sent."""
    history, logs = told(play, topic)
    history = history[history["topic"] == topic.told_as]
    sends = history.query("action == 'send'").groupby("value")[["checksum", "key"]].first()
    polls = history.query("action == 'poll'")
    for seen in (polls, logs):
        assert len(seen) > 0
        assert seen["value"].notna().all()
        assert (seen["checksum"] == seen["value"].map(sends["checksum"])).all()
        assert (seen["key"] == seen["value"].map(sends["key"])).all()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: str(each.identity))
def test_what_our_clients_send_and_read_is_known_by_the_pattern(
    play: Play, pattern: Pattern
) -> None:
    orders, bills = (
        play.topic(each, partitions=2, pattern=pattern) for each in ("orders", "bills")
    )
    within = PipelineSettings(commits="within")
    some = Transactions(records=20, abort_every=4)
    with (
        play.load(orders, rate_per_s=300) as load,
        play.load(orders, rate_per_s=300, transactions=some) as whole,
        play.pipeline("billing", orders, bills, settings=within) as billing,
        play.group("readers", bills) as readers,
        play.producer(ProducerSettings(linger_ms=20)) as producer,
    ):
        load.await_acked(200)
        play.inject(Kill(orders[0].leader))
        load.await_acked(200)
        whole.await_acked(200)
        play.heal()
        producer.send(orders[0].where, 40)
        producer.flush()
        billing.await_handed(400)
        readers.await_handed(400)

    require_known(play, orders)
    require_known(play, bills)


@pytest.mark.parametrize(
    ("client", "pattern"),
    [
        ("java", ORDER),
        ("kafka-python", ORDER),
        *((client, BY_HEADER) for client in ("java", "confluent-kafka", "kafka-python")),
    ],
    ids=lambda each: each if isinstance(each, str) else str(each.identity),
)
def test_other_libraries_send_and_read_the_same(play: Play, client: str, pattern: Pattern) -> None:
    orders = play.topic("orders", partitions=2, pattern=pattern)
    with (
        play.load(orders, rate_per_s=300, client=client) as load,
        play.group("billing", orders, client=client) as billing,
    ):
        load.await_acked(300)
        billing.await_handed(300)

    require_known(play, orders)


def test_what_cannot_have_a_pattern_is_refused_before_anything_is_sent(
    play: Play, tmp_path: Path
) -> None:
    headless = command(NO_HEADERS, tmp_path / "log")
    by_header, by_key = Pattern("header:id"), Pattern("key")
    with pytest.raises(UsageError, match="expected a Pattern of records, or None, saw 'key'"):
        play.topic("wrong", pattern="key")  # type: ignore[arg-type]
    headed, keyed = play.topic("headed", pattern=by_header), play.topic("keyed", pattern=by_key)

    with pytest.raises(UsageError, match="literal 1 has no headers here as a producer"):
        play.load(headed, client=headless)
    with pytest.raises(UsageError, match="literal 1 has no headers here as a member"):
        play.group("billing", headed, client=headless)
    with pytest.raises(UsageError, match="expected keys=0, saw 3"):
        play.load(keyed, settings=ProducerSettings(keys=3))
    with pytest.raises(UsageError, match="expected a topic without a Pattern"):
        keyed[0].request(1)
    with play.load(keyed, rate_per_s=100) as load:
        load.await_acked(50)
        with pytest.raises(
            UsageError, match=r"expected load-.* to turn to a topic with the pattern"
        ):
            load.turn_to(headed)


def test_a_topic_that_is_created_again_may_have_another_pattern(play: Play) -> None:
    first = play.topic("orders", pattern=ORDER)
    with play.load(first, rate_per_s=200) as load:
        load.await_acked(100)
    first.delete()

    second = play.topic("orders", pattern=Pattern("key", json.dumps({"amount": 17})))
    with play.load(second, rate_per_s=200) as load, play.group("billing", second) as billing:
        load.await_acked(100)
        billing.await_handed(100)

    require_known(play, second)


def test_a_load_turns_to_a_topic_of_the_same_pattern_that_is_newer(play: Play) -> None:
    orders = play.topic("orders", pattern=ORDER)
    with (
        play.load(orders, rate_per_s=200) as ours,
        play.load(orders, rate_per_s=200, client="kafka-python") as theirs,
    ):
        ours.await_acked(50)
        later = play.topic("later", partitions=2, pattern=ORDER)
        for load in (ours, theirs):
            load.turn_to(later)
            load.await_acked(200)
        with play.group("billing", later) as billing:
            billing.await_handed(200)

    require_known(play, later)


def test_who_lives_on_learns_that_a_topic_of_its_name_has_no_pattern(play: Play) -> None:
    first = play.topic("orders", pattern=ORDER)
    with play.producer() as producer:
        producer.send(first[0].where, 10)
        producer.flush()
        first.delete()
        second = play.topic("orders")
        producer.send(second[0].where, 10)
        producer.flush()
    with play.group("billing", second) as billing:
        billing.await_handed(10)

    require_known(play, second)
