"""What is seen of replicas while the story goes on: looks, fetches, and whether brokers answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.model.choices import Choices
from tests.model.clients import SECOND_NS
from tests.model.logs import Partition
from tests.model.sights import Fetch, Look, Pulse
from tests.model.world import World


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A replica that was out of the ISR for most of that time, though its broker was well."""

    partition: Partition
    broker: int
    pulses: list[Pulse]
    flaps: bool  # it came in, and was put out again, all the time


def look(world: World) -> None:
    """At every replica of every partition, at one moment; nothing is under way."""
    at_ns = world.tick()
    for partition in world.partitions:
        in_sync = set(partition.in_sync)
        if (
            partition.leader is not None
            and world.errs("shows a leader out of the ISR", 20)
            and len(in_sync) > 1
        ):
            in_sync.discard(partition.leader)
        for broker, replica in partition.replicas.items():
            if not replica.alive:
                continue
            off = 1 if world.errs("shows a watermark too high", 10) else 0
            off -= 1 if world.errs("shows a watermark too low", 10) and replica.watermark else 0
            world.looks.append(
                Look(
                    at_ns,
                    broker,
                    partition,
                    replica.end,
                    replica.watermark + off,
                    -1 if partition.leader is None else partition.leader,
                    partition.epoch,
                    frozenset(in_sync),
                    partition.stable() if broker == partition.leader else None,
                )
            )


def note_request(world: World, partition: Partition, follower: int) -> None:
    assert partition.leader is not None
    offset, at_ns = partition.replicas[follower].end, world.tick()
    world.fetches.append(
        Fetch(at_ns, partition.leader, follower, partition, offset, partition.epoch)
    )


def note_answer(world: World, partition: Partition, follower: int) -> None:
    request = world.fetches[-1]
    world.fetches.append(
        Fetch(
            world.tick(),
            request.leader,
            follower,
            partition,
            request.offset,
            partition.epoch,
            partition.lead.watermark,
        )
    )


def pulses_of(choices: Choices) -> list[Pulse]:
    """Of brokers that run, start, stop, and now and then live on without answering."""
    pulses: list[Pulse] = []
    for broker in range(1, 1 + choices.below(3)):
        at_ns = 0
        for _ in range(choices.between(1, 4)):
            kind = choices.weighted({"well": 6, "starting": 2, "dead": 1, "hangs": 2})
            until_ns = at_ns + choices.between(1, 12) * SECOND_NS
            while at_ns < until_ns:
                running, registered = kind != "dead", kind in {"well", "hangs"}
                pulses.append(Pulse(at_ns, broker, running, registered, kind == "well"))
                at_ns += choices.pick((SECOND_NS // 2, SECOND_NS // 4, SECOND_NS))
    return pulses


def leave_out(world: World, looks: list[Look], since_ns: int) -> LeftOut | None:
    """For most of a minute one follower is not in the ISR, or every other moment; then it is."""
    led = next((one for one in looks if one.leads and len(one.in_sync) > 1), None)
    if led is None:
        return None
    partition, broker = led.partition, max(led.in_sync - {led.broker})
    alone = [
        replace(one, in_sync=one.in_sync - {broker}) for one in looks if one.partition is partition
    ]
    times = range(since_ns, since_ns + 46 * SECOND_NS, 5 * SECOND_NS)
    flaps = world.ops % 8 == 5
    for at, at_ns in enumerate(times):
        chosen = looks if flaps and at % 2 else alone
        world.looks += [replace(one, at_ns=at_ns) for one in chosen if one.partition is partition]
    how = "every ten seconds" if flaps else "for more than forty seconds"
    world.tell(f"{broker} was not in the ISR of {partition.name} {how}")
    pulses = [Pulse(at_ns, broker, running=True, registered=True, answers=True) for at_ns in times]
    return LeftOut(partition, broker, pulses, flaps=flaps)
