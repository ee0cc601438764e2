"""Where a producer sends to, and what becomes of records that come too early there."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.watch_produce import WatchProduce
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.requests import sendings

PERSISTENT = ProducerSettings(retries=100_000, delivery_timeout_s=60)


@scenario(
    source="Kafka's documentation, 4.4: The Producer; NOT_LEADER_OR_FOLLOWER",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    claims=("lost-write", "stalled-sends"),
    settings={"broker.session.timeout.ms": "60000"},
    gated_clients=True,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "committed-truncation": "up to 0.10.2 a new follower cuts what it fetches again",
        "duplicate": "librdkafka #4953: it writes again what it sent before a request out of order",
    },
)
def sent_to_who_leads(play: Play, partition: Partition) -> None:
    """Every request goes to the leader; one that does not know yet that it leads is tried again.

    Leadership moves to the second replica, and it is not told: neither by the controller's requests
    nor by the metadata log. The others are, and tell the client. It sends to the new leader, which
    refuses, asks who leads, and sends again; nothing is written meanwhile, and nothing fails. Once
    the new leader has heard, it takes what comes. The third replica is never sent anything.
    """
    leader, heir, _third = partition.replicas
    play.bring_controller_home()
    with play.load(play.topics[0], rate_per_s=50, settings=PERSISTENT) as load:
        watched = play.inject(WatchProduce(load.name))
        load.await_acked(50)
        told = {each.broker for each in sendings(watched)}
        partition.require("all is sent to the leader", told == {leader}, sent_to=told)
        unaware = play.inject(HoldDecisions(heir))
        partition.move_leader(heir)
        partition.await_state("the metadata say who leads", lambda: partition.leader == heir)
        partition.await_state(
            "the new leader is sent to, and sent to again",
            lambda: [each.broker for each in sendings(watched)].count(heir) > 2,
        )
        leads = play.cluster.probe(heir).leads(partition.where)
        partition.require("it does not lead, as far as it knows", not leads)
        partition.require("no record has failed", load.failed == 0)
        play.heal(unaware)
        partition.await_leader(heir, isr=partition.replicas)
        load.await_acked(50)
        told = {each.broker for each in sendings(watched)}
        partition.require("nobody else is ever sent to", told == {leader, heir}, sent_to=told)
    partition.require("nothing has failed", load.failed == 0)
    play.heal(watched)
