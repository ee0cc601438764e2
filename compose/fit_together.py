"""Whether what was found in a compose project is one cluster that stand-ins can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from highwater.compose.asking import Found
from highwater.harness.cluster import VOTERS
from highwater.harness.settings import CONTROLLER_ID


def root_of(found: Sequence[Found]) -> str:
    """The znode under which brokers keep the metadata; "" for the root, and without ZooKeeper."""
    needing = [each for each in found if each.needs_zookeeper]
    return min((_root(each) for each in needing), default="")


def voters_of(found: Sequence[Found]) -> Mapping[int, Found]:
    """By the number under which each plays: ZooKeeper servers, or KRaft controllers.

    A controller that is a broker plays as two nodes, and gets a number for that, unless all three
    are brokers: plays take brokers down, and count on who elects their leaders.
    """
    voters = [each for each in found if not {"controller", "zookeeper"}.isdisjoint(each.roles)]
    both = [each for each in voters if "broker" in each.roles]
    if len(both) == len(voters) == max(VOTERS):
        return {each.number: each for each in voters}
    beyond = max([CONTROLLER_ID - 1, *(each.number for each in found)])
    return {beyond + 1 + both.index(each) if each in both else each.number: each for each in voters}


def divided(found: Sequence[Found]) -> Mapping[int, int]:
    """Of each broker that plays as two nodes: under which number it is a controller."""
    return {
        each.number: number for number, each in voters_of(found).items() if number != each.number
    }


def stopping_order(found: Sequence[Found]) -> Sequence[Sequence[Found]]:
    """Brokers, then those that are controllers as well, then the others.

    A broker that ends in order says so to its controller, and waits for the answer.
    """
    brokers = [each for each in found if "broker" in each.roles]
    return [
        [each for each in brokers if len(each.roles) == 1],
        [each for each in brokers if len(each.roles) > 1],
        [each for each in found if "broker" not in each.roles],
    ]


def why_not_all(project: str, found: Sequence[Found]) -> Iterator[str]:
    """Why these nodes together are none, in words, with the releases first."""
    nodes = [each for each in found if not each.is_zookeeper]
    if not nodes:
        yield (
            "no container of it runs a Kafka: expected Java processes of the class kafka.Kafka, "
            f"which may still be starting; see: docker compose -p {project} top"
        )
        return
    releases = sorted({each.release for each in nodes})
    if len(releases) > 1:
        yield f"its nodes are of several releases, {', '.join(releases)}"
    numbers = [each.number for each in nodes]
    if len(set(numbers)) < len(numbers):
        yield f"its nodes are of several clusters: of their numbers there are {sorted(numbers)}"
    old, new = _by_mode(nodes)
    if old and new:
        yield f"{_named(old)} need ZooKeeper, and {_named(new)} not: expected one or the other"
    elif old:
        yield from _why_not_with_zookeeper(found)
    else:
        yield from _why_not_its_voters(found)


def _by_mode(nodes: Sequence[Found]) -> tuple[list[Found], list[Found]]:
    old = [each for each in nodes if each.needs_zookeeper]
    return old, [each for each in nodes if not each.needs_zookeeper]


def _why_not_with_zookeeper(found: Sequence[Found]) -> Iterator[str]:
    servers = [each for each in found if each.is_zookeeper]
    if len(servers) not in VOTERS:
        yield (
            f"it has {len(servers)} ZooKeeper servers that run, {_named(servers) or 'none'}: "
            "expected one or three, Java processes of the class QuorumPeerMain"
        )
    told = {each.peers for each in servers} - ({0} if len(servers) == 1 else set())
    if told and told != {len(servers)}:
        yield (
            f"its ZooKeeper servers say that there are {sorted(told)} of them (server.N), and "
            f"there run {len(servers)}"
        )
    nodes = [each for each in found if not each.is_zookeeper]
    roots = {_root(each) for each in nodes}
    if len(roots) > 1:
        yield f"its brokers are of several clusters: of zookeeper.connect there is {sorted(roots)}"
    for each in nodes:
        if each.number == CONTROLLER_ID:
            yield f"{each.service} is broker {CONTROLLER_ID}: plays add one of that number"
        if each.settings.get("zookeeper.set.acl", "").strip().lower() == "true":
            yield f"{each.service} has zookeeper.set.acl: what it keeps there is its own to change"
        if each.settings.get("zookeeper.metadata.migration.enable", "").strip().lower() == "true":
            yield f"{each.service} is on its way from ZooKeeper to KRaft: expected one or the other"


def _why_not_its_voters(found: Sequence[Found]) -> Iterator[str]:
    told = {each.settings["controller.quorum.voters"] for each in found if not each.is_zookeeper}
    voters = {int(each.partition("@")[0]) for all_of in told for each in all_of.split(",")}
    there = {each.number for each in found if "controller" in each.roles}
    if voters != there:
        yield f"its voters are {sorted(voters)}, and of these there run {sorted(there)}"
    if len(voters) not in VOTERS:
        yield f"it has {len(voters)} voters: expected one or three"


def _root(found: Found) -> str:
    """What stands behind the servers: `zookeeper.connect` is `HOST:PORT,HOST:PORT/ROOT`."""
    told = found.settings.get("zookeeper.connect", "").strip()
    return f"/{told.partition('/')[2].strip('/')}".rstrip("/")


def _named(found: Sequence[Found]) -> str:
    return ", ".join(each.service for each in found)
