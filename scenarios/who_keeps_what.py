"""What members keep when one leaves and another one joins, by who deals and how."""

from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.topic import Topic
from highwater.scenarios.acts.kept_shares import Way, await_shares, watched

WAYS = {
    "in-turn": Way(ConsumerSettings(assignor="roundrobin"), keeps=False, revokes_all=True),
    "sticky": Way(ConsumerSettings(assignor="sticky"), client="java", revokes_all=True),
    "cooperative": Way(ConsumerSettings(assignor="cooperative-sticky")),
}
BY_BROKERS = {"by-the-coordinator": Way(ConsumerSettings(protocol="consumer"))}


@scenario(
    source="KIP-54; KIP-429; KIP-848",
    plays_on=">=0.11",  # Java's own client has no sticky assignor before
    turns_at=("4.0",),
    claims=("two-owners", "lost-write", "unprocessed"),
    topic_settings={"min.insync.replicas": "2"},
)
def who_keeps_what(play: Play, partition: Partition) -> None:
    """Ten partitions, three members, and one leaves: who stays keeps all, some, or gets it back.

    With `roundrobin` partitions go from one who stays to another one who stays. `sticky` leaves
    them where they are, and yet all are taken away for the time that it takes to deal. With
    `cooperative-sticky`, and where the coordinator deals (KIP-848, final in 4.0), nobody who stays
    loses any. When another one joins it is given three or four: none but these are taken.
    """
    partition.require_acked(partition.send(1))
    ten = play.topic("orders", partitions=10, replicas=1)
    for each in ten:
        partition.require_acked(each.send(5))
    by_brokers = BY_BROKERS if play.cluster.kafka.assigns_partitions else {}
    for name, way in {**WAYS, **by_brokers}.items():
        dealt_anew(play, partition, ten, name, way)


def dealt_anew(play: Play, partition: Partition, topic: Topic, name: str, way: Way) -> None:
    with play.group(name, topic, members=3, settings=way.settings, client=way.client) as group:
        await_shares(partition, group, 3, 3, 4)
        first, *stay = group.members
        seen = watched(stay)
        group.leave(first)
        await_shares(partition, group, 5, 5)
        left = seen()
        play.step(f"{name}, one leaves: of {left.had}, {left.moved} moved, {left.taken} were taken")
        seen = watched(stay)
        joined = group.join()
        await_shares(partition, group, 3, 3, 4)
        came, share = seen(), len(joined.assigned)
        play.step(f"{name}, one joins: of 10, {came.moved} moved, {came.taken} were taken")
        group.await_caught_up()
    wanted = (left.had, 10) if way.revokes_all else (0, share)
    taken, moved = (left.taken, came.taken), (left.moved, came.moved)
    partition.require(f"{wanted} are taken from who stays", taken == wanted, taken=taken)
    partition.require("moved, or kept", (moved == (0, share)) == way.keeps, moved=moved)
