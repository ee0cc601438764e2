"""What clients ask real brokers, as the gate between them sees it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from tests.grounds import require_client

from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.highwater(gated_clients=True)]
RECORDS = 40
BY_ITSELF = ConsumerSettings(commits="auto", library={"auto.commit.interval.ms": 200})
HERE = "tests/cluster/test_seen_at_the_gate.py"
TOGETHER = pytest.mark.on_demand(together=f"{HERE}[members]")
OTHERS = [
    pytest.param(each, marks=TOGETHER) for each in ("confluent-kafka", "kafka-python", "sarama")
]
MEMBERS = ["java", *OTHERS, pytest.param("aiokafka", marks=TOGETHER)]


def told(play: Play, table: str) -> pd.DataFrame:
    """All that the gate has seen by now."""
    play.cluster.gate.rows.give_up()
    play.record.flush()
    found: pd.DataFrame = open_run(play.record.path).table(table).to_pandas()
    return found


def sent_for(play: Play, client: str) -> Topic:
    """Orders for members of this client to read; whose toolchain is missing is skipped."""
    require_client(client)
    orders = play.topic("orders")
    orders[0].require_acked(orders[0].send(RECORDS))
    return orders


@pytest.mark.parametrize("client", MEMBERS)
def test_what_a_library_commits_by_itself_is_seen(play: Play, client: str) -> None:
    orders = sent_for(play, client)

    with play.group("billing", orders, 2, BY_ITSELF, client=client) as billing:
        wait_until(lambda: billing.committed == RECORDS, "all of it to be committed", 60)
        names = {member.name for member in billing.members}

    asked = told(play, "commit_requests")
    asked = asked[asked["client"].isin(names)]
    (group,) = set(asked["group"])
    assert group.endswith(f"-orders-{billing.name}")
    assert asked[asked["error_code"] == 0]["offset"].max() == RECORDS
    assert (asked["answered_ns"].dropna() >= asked["asked_ns"]).all()
    assert (asked["generation"] > 0).any()


@TOGETHER
@pytest.mark.highwater(kafka=">=2.3")
def test_an_older_sarama_can_be_a_static_member_as_well(play: Play) -> None:
    """By its own default it speaks as to brokers of before there were such."""
    client = "sarama:1.43.0"
    orders = sent_for(play, client)

    with play.group("billing", orders, 1, replace(BY_ITSELF, static=True), client=client) as alone:
        wait_until(lambda: alone.committed == RECORDS, "all of it to be committed", 60)


def test_each_batch_has_the_producer_id_that_its_client_was_given(play: Play) -> None:
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=200) as load:
        load.await_acked(200)

    batches, ids = told(play, "batches"), told(play, "producer_ids")

    mine = batches[batches["client"] == load.name]
    given = ids[(ids["client"] == load.name) & (ids["error_code"] == 0)]
    assert set(zip(mine["producer_id"], mine["epoch"], strict=True)) == {
        *zip(given["producer_id"], given["epoch"], strict=True)
    }
    appended = mine[mine["error_code"] == 0].sort_values(["partition", "base_offset"])
    assert appended["records"].sum() == load.acked
    for _, of_one in appended.groupby("partition"):
        following = of_one["base_sequence"] + of_one["records"]
        assert (of_one["base_sequence"].to_list()[1:]) == following.to_list()[:-1]
