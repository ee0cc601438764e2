"""Producers: sends, refusals, retries, lost and late answers, and transactions."""

from __future__ import annotations

from tests.model.clients import FAILED, INVOKED, OK, UNKNOWN, Send, checksum_of
from tests.model.logs import ABORTED, COMMITTED, OPEN, Entry, Partition, Transaction
from tests.model.world import World


def send(world: World) -> None:
    """One record more is given to a producer, and mostly reaches the broker at once."""
    choices, settings = world.choices, world.settings
    in_transaction = settings.transactions and choices.happens(60)
    client = f"{'tx' if in_transaction else 'p'}{choices.below(2)}"
    partition = world.a_partition()
    again = _to_be_sent_again(world, partition) if settings.sends_again else None
    acks = choices.pick(("all", "1", "0")) if settings.weak_acks and not in_transaction else "all"
    if again is None:
        world.values += 1
    value = world.values if again is None else again
    made = Send(world.next_op(), client, partition, value, acks, world.tick())
    if in_transaction:
        begun = Transaction(client, world.ops)
        made.transaction = world.transactions.setdefault(client, begun)
    world.sends.append(made)
    world.waiting.append(made)
    if acks == "0":
        _finish(world, made, OK)
    world.tell(f"{client} sends {value} to {partition.name}, acks={acks}")
    if choices.happens(85):
        deliver(world, made)


def _to_be_sent_again(world: World, partition: Partition) -> int | None:
    """A value that no attempt has brought to an end that its application knows to be good."""
    good = {one.value for one in world.sends if one.outcome in {OK, INVOKED}}
    bad = [one.value for one in world.sends if one.partition is partition and one.value not in good]
    return world.choices.pick(bad) if bad and world.choices.happens(50) else None


def deliver_some(world: World) -> None:
    if world.late and world.choices.happens(50):
        late = world.choices.pick(world.late)
        world.late.remove(late)
        world.tell(f"{late.value} of {late.client} arrives late")
        deliver(world, late)
    elif world.waiting:
        deliver(world, world.choices.pick(world.waiting))


def deliver(world: World, made: Send) -> None:
    """A request reaches the leader; a second one finds what the first one wrote."""
    partition = made.partition
    if partition.leader is None or made.is_acknowledged:
        return
    if made.transaction is not None and made.transaction.state != OPEN:
        return
    if made.acks == "all" and len(partition.in_sync) < partition.least_in_sync:
        _refuse(world, made)
        return
    is_asked = made.outcome == INVOKED and not made.placed
    if is_asked and world.errs("acknowledges what it never wrote"):
        world.tell(f"BUG: {made.value} is acknowledged and not written")
        _acknowledge(world, made, partition.lead.end)
        return
    if offset_of(partition, made.entry) is None:
        _append(world, made)
    if made.acks == "1" and made.outcome == INVOKED:
        _answer(world, made)
    if made.acks == "0":
        world.waiting.remove(made)
    acknowledge(world, partition)


def _append(world: World, made: Send) -> None:
    for _ in range(2 if world.errs("writes twice") else 1):
        entry = Entry(made.value, checksum_of(made.value), made.transaction)
        offset = made.partition.append(entry)
        made.placed.append(entry)
        world.tell(f"{made.value} stands at {made.partition.name}@{offset}")


def offset_of(partition: Partition, entry: Entry | None) -> int | None:
    """Where the leader has this very copy."""
    log = partition.lead.log
    return next((at for at in range(len(log) - 1, -1, -1) if log[at] is entry), None)


def acknowledge(world: World, partition: Partition) -> None:
    """Answers go out for what has got below the high watermark."""
    if partition.leader is None:
        return
    for made in [one for one in world.waiting if one.partition is partition]:
        offset = offset_of(partition, made.entry) if made.placed else None
        below = offset is not None and offset < partition.lead.watermark
        if below and made.acks == "all" and not made.is_acknowledged:
            _answer(world, made)


def _answer(world: World, made: Send) -> None:
    """The answer may be lost: then the client asks again, or gives up."""
    if not made.is_answer_lost and world.settings.faults and world.choices.happens(10):
        made.is_answer_lost = True
        world.tell(f"the answer to {made.value} is lost")
        return
    offset = offset_of(made.partition, made.entry)
    assert offset is not None
    wrong = world.choices.pick((1, -2)) if world.errs("acknowledges at a wrong offset", 25) else 0
    if wrong:
        world.tell(f"BUG: {made.value} is acknowledged at another offset than it has")
    _acknowledge(world, made, max(0, offset + wrong))


def _acknowledge(world: World, made: Send, offset: int) -> None:
    made.is_acknowledged = True
    made.offset = offset
    if made.transaction is None:
        _finish(world, made, OK)
        world.waiting.remove(made)
        world.tell(f"{made.value} is acknowledged at {made.partition.name}@{offset}")


def _refuse(world: World, made: Send) -> None:
    """Too few in sync. One that has been written before may be there all the same."""
    if made.outcome != INVOKED or made.transaction is not None or world.choices.happens(50):
        return
    world.waiting.remove(made)
    _finish(world, made, UNKNOWN if made.placed else FAILED)
    world.tell(f"{made.value} is refused: {made.outcome}")


def _finish(world: World, made: Send, outcome: str) -> None:
    made.outcome, made.completed_ns = outcome, world.tick()


def give_up(world: World) -> None:
    """A client stops waiting; its request may still be under way."""
    able = [one for one in world.waiting if one.transaction is None and one.outcome == INVOKED]
    if able:
        made = world.choices.pick(able)
        world.waiting.remove(made)
        world.tell(f"{made.client} gives up {made.value}")
        _finish(world, made, UNKNOWN)
        if not made.placed:
            world.late.append(made)


def end_transaction(world: World) -> None:
    """It commits what was acknowledged in all its parts, or aborts."""
    if not world.transactions:
        return
    client = world.choices.pick(sorted(world.transactions))
    decide(world, world.transactions.pop(client))


def decide(world: World, transaction: Transaction) -> None:
    mine = _sends_of(world, transaction)
    may_commit = all(one.is_acknowledged for one in mine)
    transaction.state = COMMITTED if may_commit and not world.choices.happens(30) else ABORTED
    world.deciding.append(transaction)
    world.tell(f"{transaction.client} ends its transaction: {transaction.state}")
    for partition in _touched(mine):
        if world.errs("loses a marker", 50):
            if transaction.state == COMMITTED and world.choices.happens(50):
                world.tell(f"BUG: {partition.name} is given the marker of an abort")
                world.torn.add((transaction, partition))
                continue
            world.tell(f"BUG: {partition.name} is never given the marker")
            world.marker_lost.add((transaction, partition))
    write_markers(world)


def _sends_of(world: World, transaction: Transaction) -> list[Send]:
    return [one for one in world.waiting if one.transaction is transaction]


def _touched(sends: list[Send]) -> list[Partition]:
    return list(dict.fromkeys(one.partition for one in sends))


def write_markers(world: World) -> None:
    """The coordinator writes each marker until it stands; when all are committed it answers."""
    for transaction in list(world.deciding):
        mine = _sends_of(world, transaction)
        done = [_marked(world, transaction, partition) for partition in _touched(mine)]
        if all(done):
            world.deciding.remove(transaction)
            _conclude(world, transaction, mine)


def _marked(world: World, transaction: Transaction, partition: Partition) -> bool:
    if (transaction, partition) in world.marker_lost:
        return True
    if partition.leader is None:
        return False
    log = partition.lead.log
    own = [at for at, one in enumerate(log) if one.is_control and one.transaction is transaction]
    if not own:
        own.append(partition.append(Entry(None, None, transaction, is_control=True)))
    return own[-1] < partition.lead.watermark


def _conclude(world: World, transaction: Transaction, mine: list[Send]) -> None:
    known = OK if transaction.state == COMMITTED else FAILED
    lost = world.settings.faults and world.choices.happens(10)
    at_ns = world.tick()
    for made in mine:
        world.waiting.remove(made)
        made.completed_ns, made.outcome = at_ns, UNKNOWN if lost else known
    world.tell(f"{transaction.client} is told: {'nothing' if lost else transaction.state}")
