"""A whole story: steps of chance, and what comes after them."""

from __future__ import annotations

from collections.abc import Callable

from tests.model.choices import Choices
from tests.model.clients import SECOND_NS, UNKNOWN
from tests.model.logs import Partition
from tests.model.looks import look, note_answer, note_request
from tests.model.producing import (
    acknowledge,
    decide,
    deliver_some,
    end_transaction,
    give_up,
    send,
    write_markers,
)
from tests.model.reading import join, read, stop
from tests.model.uncommitted import beside_of, look_on
from tests.model.world import Settings, World, settings_of

SETTLING_ROUNDS = 20


def fetch(world: World, partition: Partition | None = None) -> None:
    partition = partition or world.a_partition()
    able = [one for one in partition.followers if partition.replicas[one].alive]
    if partition.leader is None or not able:
        return
    answered = not world.settings.faults or not world.choices.happens(10)
    before = partition.lead.watermark
    exchange(world, partition, world.choices.pick(able), answered=answered)
    if partition.lead.watermark > before:
        acknowledge(world, partition)
        write_markers(world)


def exchange(
    world: World, partition: Partition, follower: int, *, answered: bool = True, whole: bool = False
) -> None:
    """One request of a follower, seen by the gate, and its answer, if it gets through."""
    limit = 1000 if whole else world.choices.between(1, 6)
    partition.ask(follower)
    note_request(world, partition, follower)
    partition.advance()
    if answered:
        partition.answer(follower, limit)
        note_answer(world, partition, follower)


def replicate(world: World) -> None:
    partition = world.a_partition()
    for _ in range(3):
        fetch(world, partition)


def elect(world: World) -> None:
    partition = world.a_partition()
    unclean = "unclean elections" in world.settings.hazards
    able = partition.candidates(unclean=unclean)
    if able:
        make_leader(world, partition, world.choices.pick(able))


def make_leader(world: World, partition: Partition, broker: int) -> None:
    kind = "leads" if broker in partition.in_sync else "leads uncleanly"
    partition.elect(broker)
    world.tell(f"broker {broker} {kind} {partition.name} in epoch {partition.epoch}")
    write_markers(world)


def crash(world: World) -> None:
    partition = world.a_partition()
    alive = [broker for broker, one in partition.replicas.items() if one.alive]
    if alive:
        broker = world.choices.pick(alive)
        power = "power failures" in world.settings.hazards and world.choices.happens(60)
        lost = world.choices.between(1, 3) if power else 0
        partition.crash(broker, lost)
        world.tell(f"broker {broker} of {partition.name} stops, {lost} records unwritten")


def restart(world: World) -> None:
    partition = world.a_partition()
    dead = [broker for broker, one in partition.replicas.items() if not one.alive]
    if dead:
        broker = world.choices.pick(dead)
        partition.replicas[broker].alive = True
        world.tell(f"broker {broker} of {partition.name} is back")


def drop(world: World) -> None:
    partition = world.a_partition()
    if partition.leader is not None and partition.followers:
        broker = world.choices.pick(partition.followers)
        partition.drop(broker)
        world.tell(f"broker {broker} drops out of the ISR of {partition.name}")
        acknowledge(world, partition)
        write_markers(world)


def delete(world: World) -> None:
    partition = world.a_partition()
    if partition.leader is not None and partition.lead.watermark > partition.lead.start:
        start = world.choices.between(partition.lead.start + 1, partition.lead.watermark)
        partition.lead.start = start
        world.tell(f"{partition.name} begins at {start} from now on")


def leap(world: World) -> None:
    """Much time goes by; who lags behind then is not in the ISR any more."""
    for partition in world.partitions:
        if partition.leader is None or world.errs("keeps a laggard in sync", 70):
            continue
        for broker in partition.followers:
            if partition.replicas[broker].end < partition.lead.end:
                partition.drop(broker)
        acknowledge(world, partition)
    write_markers(world)
    look(world)
    world.now_ns += world.choices.pick((10, 60, 130)) * SECOND_NS
    look(world)
    world.tell("much time has gone by")


def forget(world: World) -> None:
    """A leader restarts, and leads on in its epoch with an older high watermark."""
    partition = world.a_partition()
    if partition.leader is not None and partition.lead.watermark > partition.lead.start:
        partition.lead.watermark -= 1
        world.tell(f"BUG: {partition.name}'s leader forgets its watermark")


Steps = dict[Callable[[World], None], int]


def steps_of(settings: Settings) -> Steps:
    steps: Steps = {send: 30, replicate: 25, read: 20, stop: 4, deliver_some: 6, join: 3, look: 8}
    if settings.transactions:
        steps[end_transaction] = 10
    if settings.faults:
        steps |= {elect: 5, crash: 3, restart: 5, drop: 3, give_up: 4}
    if settings.retention:
        steps[delete] = 2
    if settings.leaps:
        steps[leap] = 3
    if "goes back" in settings.bugs:
        steps[join] = 20
    if "tells an end too low" in settings.bugs:
        steps[stop] = 20
    if "forgets its watermark" in settings.bugs:
        steps[forget] = 3
    return steps


def play(choices: Choices, settings: Settings | None = None) -> World:
    """A world after its story; nothing has been healed yet."""
    world = World(choices, settings or settings_of(choices))
    steps = steps_of(world.settings)
    for number in range(world.settings.steps):
        choices.weighted(steps)(world)
        world.note_committed()
        if not number:
            world.beside = beside_of(world)
        look_on(world)
        world.tick()
    return world


def heal(world: World) -> None:
    """All is back, replicas agree, no transaction is open, and every send has been answered."""
    world.tell("all is healed")
    for partition in world.partitions:
        for one in partition.replicas.values():
            one.alive = True
        if partition.leader is None:
            able = partition.candidates(unclean=False) or partition.candidates(unclean=True)
            make_leader(world, partition, able[0])
    _catch_up(world)
    world.late.clear()
    while world.transactions:
        decide(world, world.transactions.pop(min(world.transactions)))
    _catch_up(world)
    for made in list(world.waiting):
        world.waiting.remove(made)
        if made.completed_ns is None:
            made.outcome, made.completed_ns = UNKNOWN, world.tick()
    world.deciding.clear()
    world.note_committed()
    look(world)
    look(world)


def _catch_up(world: World) -> None:
    """Until all replicas agree; markers may be due then, and have to be replicated as well."""
    for _ in range(3):
        for partition in world.partitions:
            _settle(world, partition)
            acknowledge(world, partition)
        write_markers(world)


def _settle(world: World, partition: Partition) -> None:
    for _ in range(SETTLING_ROUNDS):
        if partition.settled():
            return
        partition.advance()
        for follower in partition.followers:
            exchange(world, partition, follower, whole=True)
    raise AssertionError(f"{partition.name} does not settle in {SETTLING_ROUNDS} rounds")
