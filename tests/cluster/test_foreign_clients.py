"""Clients of other libraries on real brokers: judged as ours is, and held against the protocol."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pytest
from tests.grounds import require_client

from highwater.faults.kill import Kill
from highwater.harness.clients.settings import ConsumerSettings, Transactions
from highwater.harness.errors import UsageError
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.foreign.programs import command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings

LAG = {"replica.lag.time.max.ms": "10000"}
HERE = "tests/cluster/test_foreign_clients.py"
BY_TURNS = {"java:2.8.2": "", **{known.name: known.language.folder for known in KNOWN.values()}}
OWN = {"rdkafka": "rust", "confluent-js": "compiled"}  # they take minutes to build


def by_turns(client: str, folder: str) -> object:
    """Those of a language share a cluster; of one that takes minutes to build all do."""
    own = f"{HERE}[{OWN.get(client, folder)}]"
    return pytest.param(client, marks=pytest.mark.on_demand(together=own))


CLIENTS = ["java", *(by_turns(client, folder) for client, folder in BY_TURNS.items())]
MEMBERS = ["java", "confluent-kafka", "franz-go", "kafka-go", "kafka-python", "aiokafka"]
MEMBERS += ["kafkajs", *OWN]
SILENT = "sarama"  # tells nobody what becomes of a commit: its members leave them to it
COMMITTING = ["java", "confluent-kafka", "kafka-python", "aiokafka", SILENT]  # by themselves
OLDER = "java:0.11.0.3"
JOINED = [by_turns(each, "members") for each in (*MEMBERS, OLDER)]
TRANSACTIONS = ["java", *(name for name in KNOWN if name != "kafka-go")]
TRANSACTIONAL = [by_turns(each, "transactions") for each in TRANSACTIONS]
POLLING = ["java", "confluent-kafka", "kafka-python", "aiokafka", *OWN]  # have max.poll.interval.ms
NEWEST = "java:4.4.0"
OLD = "confluent-kafka:2.3.0"
CHECKED = [*((name, "4.1.1") for name in ("java", "java:0.11.0.3", NEWEST, OLD, *KNOWN))]
CHECKED += [(name, "1.1.1") for name in KNOWN]
pytestmark = [pytest.mark.cluster, pytest.mark.highwater(settings=LAG, kafka=">=2.1")]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_foreign_client_lives_through_the_same_faults_as_ours(play: Play, client: str) -> None:
    require_client(client)
    orders = play.topic("orders", partitions=3)
    settings = ProducerSettings(keys=7, partition_by="key")
    with (
        play.load(orders, rate_per_s=500, client=client, settings=settings) as dying,
        play.load(orders, rate_per_s=500, client=client) as load,
        play.group("billing", orders) as billing,
    ):
        dying.await_acked(500)
        with load.paused():
            dying.await_acked(500)
        dying.kill()
        play.inject(Kill(orders[0].leader))
        load.await_acked(1_000)
        killed = dying.name
        dying.start()
        dying.await_acked(500)
        load.flush()
        billing.await_handed(1_000)

    history = open_run(play.record.path).table("history").to_pandas()
    sent = history[history["action"] == "send"]
    assert set(sent["client"]) == {killed, dying.name, load.name}
    assert (sent[sent["client"] == load.name]["outcome"] == "ok").sum() == load.acked
    both = sent[sent["client"] != load.name]
    assert both.groupby("client")["key"].nunique().to_list() == [7, 7]
    assert both.groupby("value")["client"].nunique().max() == 1
    assert both.groupby("key")["partition"].nunique().max() == 1
    assert len({*both["partition"]}) > 1
    assert (both["outcome"] == "ok").sum() >= dying.acked >= 1_500


def ends_of(history: pd.DataFrame) -> pd.DataFrame:
    """Sends, each once: what was open when a part was written has another row when it ends."""
    sent = history[history["action"] == "send"]
    ended = sent[sent["outcome"] != "invoked"]
    return pd.concat([ended, sent[~sent["op"].isin(ended["op"])].drop_duplicates("op")])


@pytest.mark.parametrize("client", TRANSACTIONAL)
def test_a_foreign_client_in_transactions_lives_through_the_same_faults(
    play: Play, client: str
) -> None:
    require_client(client)
    orders = play.topic("orders", partitions=3)
    some = Transactions(records=50, abort_every=4)
    with (
        play.load(orders, rate_per_s=500, client=client, transactions=some) as load,
        play.group("billing", orders) as billing,
    ):
        load.await_acked(300)
        with load.paused():
            play.inject(Kill(orders[0].leader))
        load.await_acked(300)
        killed = load.name
        load.kill()
        load.start()
        load.await_acked(300)
        load.restart()
        load.await_acked(300)
        billing.await_handed(1_000)

    run = open_run(play.record.path)
    history, clients = run.table("history").to_pandas(), run.table("clients").to_pandas()
    sent = ends_of(history)
    assert (sent["outcome"] == "ok").sum() >= load.acked >= 1_200
    aborted = sent[(sent["transaction"] % 4 == 0) & ~sent["outcome"].isin(["invoked", "unknown"])]
    assert {*aborted["outcome"]} == {"failed"}
    assert sent["transaction"].notna().all()
    by_transaction = sent.groupby(["client", "transaction"])["outcome"].nunique()
    assert by_transaction.max() == 1
    (name,) = {*clients["transactional_id"].dropna()}
    assert (name, sent["client"].nunique()) == (killed, 3)


@pytest.mark.on_demand
@pytest.mark.parametrize("client", ["java", "confluent-kafka"])
def test_who_wakes_in_a_transaction_that_is_over_is_fenced(play: Play, client: str) -> None:
    """Frozen for longer than its transaction may be open, while another one has its id."""
    require_client(client)
    orders = play.topic("orders", partitions=3)
    brief, some = ProducerSettings(transaction_timeout_s=4), Transactions(records=300)
    with (
        play.load(orders, 200, brief, some, client=client) as load,
        play.group("billing", orders) as billing,
    ):
        load.await_acked(300)
        zombie = load.name
        with load.paused():
            load.take_over()
            load.await_acked(1_200)  # for six seconds
        play.record.flush()
        load.await_acked(600)
        billing.await_handed(2_100)

    sent = ends_of(open_run(play.record.path).table("history").to_pandas())
    outcomes = sent[sent["client"] == zombie].groupby("outcome").size()
    assert set(outcomes.index) <= {"ok", "unknown", "failed"}
    assert outcomes["unknown"] >= 1
    assert set(sent[sent["client"] == load.name]["outcome"]) == {"ok"}


@pytest.mark.parametrize("client", JOINED)
def test_a_group_of_another_library_lives_through_the_same_faults(play: Play, client: str) -> None:
    require_client(client)
    orders = play.topic("orders", partitions=3)
    with (
        play.load(orders, rate_per_s=300) as load,
        play.group("billing", orders, members=2, client=client) as billing,
    ):
        billing.await_committed(200)
        first, second = billing.members
        with second.paused():
            load.await_acked(100)
        first.kill()
        billing.replace(first)
        billing.await_assigned()
        play.inject(Kill(orders[0].leader))
        load.await_acked(300)
        billing.join()
        load.stop()
        billing.await_caught_up()
        wait_until(lambda: billing.committed >= load.acked, "all of it to be committed", 60)
        handed = billing.handed

    run = open_run(play.record.path)
    history, commits = run.table("history").to_pandas(), run.table("commits").to_pandas()
    polled = history[(history["action"] == "poll") & history["client"].str.startswith("billing")]
    assert len(polled) == handed >= load.acked
    told = set(commits[commits["outcome"] == "ok"]["client"])
    assert {m.name for m in billing.members[:3]} <= told


def undone_by_who_dies(play: Play, commits: str) -> int:
    """Of twelve records that are committed those that no member has processed."""
    require_client("java")
    orders = play.topic("orders")
    orders[0].require_acked(orders[0].send(12))
    settings = ConsumerSettings(commits=commits, processing_s=0.5)
    with play.group("billing", orders, 2, settings, client="java") as billing:
        (busy,) = [member for member in billing.members if member.assigned]
        billing.await_committed(3)
        busy.kill()
        billing.await_caught_up()
        billing.await_committed(12 - billing.committed)
    play.record.flush()
    done = open_run(play.record.path).table("processed").to_pandas()
    spans = zip(done["first_offset"], done["end_offset"], strict=True)
    return 12 - len({offset for span in spans for offset in range(*span)})


@pytest.mark.on_demand
@pytest.mark.highwater(claims=("lost-write",))  # unprocessed is violated
def test_a_member_of_another_library_that_commits_first_leaves_records_undone(play: Play) -> None:
    assert undone_by_who_dies(play, "before") > 0


@pytest.mark.on_demand
def test_a_member_of_another_library_that_commits_afterwards_leaves_nothing(play: Play) -> None:
    assert undone_by_who_dies(play, "after") == 0


def test_what_a_foreign_member_cannot_do_is_refused_before_it_starts(play: Play) -> None:
    require_client("java")
    orders = play.topic("orders")
    refused = {
        "what other libraries commit by themselves": ConsumerSettings(commits="auto"),
        "is a setting of librdkafka": ConsumerSettings(library={"fetch.min.bytes": 1}),
    }
    for words, settings in refused.items():
        with pytest.raises(UsageError, match=words):
            play.group("billing", orders, settings=settings, client="java")
    orders[0].require_acked(orders[0].send(1))
    with (
        play.group("billing", orders, client="java") as billing,
        pytest.raises(UsageError, match="members in other languages keep their topics"),
    ):
        billing.subscribe(orders)


def test_what_a_foreign_client_cannot_do_is_refused_before_it_starts(play: Play) -> None:
    require_client("java")
    orders = play.topic("orders")

    with pytest.raises(UsageError, match="cannot be set to batch_records=1"):
        play.load(orders, settings=ProducerSettings(batch_records=1), client="java")
    one = ProducerSettings(unanswered=1)
    with pytest.raises(UsageError, match="one transaction ends before the next one begins"):
        play.load(orders, None, one, client="java", transactions=Transactions())
    with play.load(orders, 100) as load:
        load.await_acked(1)


def checked(client: str, kafka: str) -> object:
    """Each by itself, but for what the others of its group have built by then."""
    mark = pytest.mark.on_demand
    own = mark(together=f"{HERE}[{OWN[client]}]") if client == "confluent-js" else mark
    return pytest.param(client, kafka, marks=own)


@pytest.mark.parametrize(("client", "kafka"), [checked(*each) for each in CHECKED])
def test_our_adapters_keep_every_rule_of_the_protocol(client: str, kafka: str) -> None:
    require_client(client)
    words = ["adapter", "check", "--json", "--kafka", kafka, client]
    line = [sys.executable, "-m", "highwater.cli", *words]

    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=1200)

    rules = json.loads(done.stdout)
    assert [each for each in rules if each["wrong"]] == []
    name = client.partition(":")[0]
    as_member = 5 * (name in (*MEMBERS, "platformatic")) + (name in POLLING) + 2 * (name == SILENT)
    settings = describe(command_of(client, find_kafka(kafka)))["capabilities"]["settings"]
    failing = sum(each in settings for each in ("delivery.timeout.ms", "retries"))
    as_member += name in COMMITTING
    count = 8 + 3 + failing + as_member + 4 * (name in TRANSACTIONS)
    assert (len(rules), done.returncode) == (count, 0)
