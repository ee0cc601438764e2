"""Readers: from the beginning, the middle or the end, alone or in groups."""

from __future__ import annotations

from dataclasses import replace

from tests.model.clients import Commit, Handing, Holding, Processed, Reader, Stop, checksum_of
from tests.model.logs import ABORTED, COMMITTED, Entry, Partition
from tests.model.world import World

AT_ONCE = 6
NOBODY_SENT = 1_000_000


def new_reader(world: World, partition: Partition | None = None) -> Reader:
    """Begins at the log's start; late readers begin at its end, or anywhere."""
    partition = partition or world.a_partition()
    start = partition.replicas[min(partition.replicas)].start
    if partition.leader is not None:
        start = partition.lead.start
        if world.settings.late_readers and world.choices.happens(40):
            start = world.choices.between(start, max(start, partition.stable()))
    takes_all = world.takes_uncommitted
    name = f"{'u' if takes_all else 'c'}{world.next_reader()}"
    reader = Reader(name, partition, start, start, takes_uncommitted=takes_all)
    world.readers.append(reader)
    world.tell(f"{reader.name} begins at {partition.name}@{start}")
    return reader


def join(world: World) -> None:
    """A member of a group goes on where the group had committed, under a name of its own."""
    group, partition = world.first_group + world.choices.below(2), world.a_partition()
    start = world.committed.get((group, partition), 0)
    forgets = start > 0 and world.errs("goes back", 80)
    if forgets:
        start = world.choices.below(start)
        world.tell(f"BUG: g{group} has forgotten what it committed")
    name = f"g{group}-{world.next_reader()}"
    reader = Reader(name, partition, start, start, group, world.now_ns)
    reader.takes_uncommitted = world.takes_uncommitted
    world.readers = [one for one in world.readers if one.group != group or one.group is None]
    world.readers.append(reader)
    _hand_over(world, reader, group)
    world.tell(f"{reader.name} goes on at {partition.name}@{start}")
    if forgets:
        poll(world, reader, AT_ONCE)


def _hand_over(world: World, reader: Reader, group: int) -> None:
    """Whoever was a member before has given up what it held."""
    for one in world.holdings:
        if one.group == group and one.until_ns is None:
            one.until_ns, one.what = world.now_ns - 1, "revoked"
    world.holdings.append(Holding(group, reader.partition, reader.name, world.now_ns))


def read(world: World) -> None:
    if not world.readers or world.choices.happens(15):
        new_reader(world)
    reader = world.choices.pick(world.readers)
    poll(world, reader, world.choices.between(1, AT_ONCE))
    if reader.group is not None and world.choices.happens(50):
        world.committed[reader.group, reader.partition] = reader.position
        _commit(world, reader, reader.group)


def _commit(world: World, reader: Reader, group: int) -> None:
    at_ns, position = world.now_ns, reader.position
    world.commits.append(Commit(group, reader.partition, position, reader.member, at_ns))
    world.tell(f"{reader.name} commits {reader.partition.name}@{position}")


def poll(world: World, reader: Reader, most: int) -> None:
    """Hands over at most so many records; all of one poll have its times."""
    partition = reader.partition
    if partition.leader is None:
        return
    lead, invoked_ns = partition.lead, world.tick()
    if not lead.start <= reader.position <= lead.end:
        reader = _reset(world, reader)
    if world.errs("goes back", 30) and reader.position > lead.start:
        reader.position -= world.choices.between(1, reader.position - lead.start)
        world.tell(f"BUG: {reader.name} goes back to {reader.position}")
        if reader.group is not None:
            _commit(world, reader, reader.group)
    end = reader.end()
    limit = lead.end if world.errs("hands over what is not committed", 30) else end
    completed_ns = world.tick()
    while most and reader.position < limit:
        offset, reader.position = reader.position, reader.position + 1
        if _is_handed(world, reader, lead.log[offset], offset):
            found = Handing(
                world.next_op(), reader, partition, offset, lead.log[offset].value,
                lead.log[offset].checksum, invoked_ns, completed_ns, lead.log[offset], end,
            )  # fmt: skip
            _hand(world, found)
            most -= 1
    if world.errs("hands over what nobody sent", 10) and reader.position == lead.end:
        _invent(world, reader, (invoked_ns, completed_ns))


def _is_handed(world: World, reader: Reader, entry: Entry, offset: int) -> bool:
    if entry.is_control or (reader.partition, offset) in world.hidden:
        return False
    if entry.transaction is not None and not reader.takes_uncommitted:
        if (entry.transaction, reader.partition) in world.torn:
            return False
        if entry.transaction.state == ABORTED:
            return world.errs("hands over what was aborted", 50)
    if world.errs("hides a record from one reader", 25):
        world.tell(f"BUG: {reader.partition.name}@{offset} is hidden from {reader.name}")
        return False
    if world.errs("hides a record from all readers", 12):
        if all((one.partition, one.offset) != (reader.partition, offset) for one in world.handings):
            world.tell(f"BUG: {reader.partition.name}@{offset} is hidden")
            world.hidden.add((reader.partition, offset))
        return False
    return True


def _hand(world: World, found: Handing) -> None:
    entry, reader = found.entry, found.reader
    assert entry is not None
    open_or_aborted = entry.transaction is not None and entry.transaction.state != COMMITTED
    found.is_sound = found.offset < found.below
    found.is_sound &= reader.takes_uncommitted or not open_or_aborted
    if found.value is not None and world.errs("hands over a corrupted payload", 8):
        found.has_another_key = found.offset % 2 == 1
        found.checksum = (found.checksum or 0) + (not found.has_another_key)
        if world.choices.happens(30):
            found.value, found.checksum = None, 1
    if world.errs("hands over a record of another partition", 8) and len(world.partitions) > 1:
        _swap(world, found)
    reader.low = found.offset if reader.low is None else min(reader.low, found.offset)
    reader.high = max(reader.high, found.offset)
    world.handings.append(found)
    if reader.group is not None:
        done = found.offset, found.offset + 1, reader.member, found.completed_ns
        world.processed.append(Processed(reader.group, found.partition, *done))
    marks = "" if found.is_sound else " BUG"
    world.tell(f"{reader.name} is handed {found.value}@{found.offset}{marks}")


def _swap(world: World, found: Handing) -> None:
    others = [one for one in world.partitions if one is not found.partition and one.leader]
    lead = world.choices.pick(others).lead if others else None
    if lead is not None and found.offset < lead.end and lead.log[found.offset].value is not None:
        found.entry = lead.log[found.offset]
        found.value, found.checksum, found.is_sound = found.entry.value, found.entry.checksum, False


def _invent(world: World, reader: Reader, times: tuple[int, int]) -> None:
    offset, value = reader.position, NOBODY_SENT + world.ops
    reader.position += 1
    found = Handing(
        world.next_op(), reader, reader.partition, offset, value, checksum_of(value), *times,
        None, offset, is_sound=False,
    )  # fmt: skip
    reader.low = offset if reader.low is None else min(reader.low, offset)
    reader.high = max(reader.high, offset)
    world.handings.append(found)
    world.tell(f"BUG: {reader.name} is handed {value}@{offset}, which nobody sent")


def _reset(world: World, reader: Reader) -> Reader:
    """Its position is not there any more: it begins at the log's start again."""
    start = reader.partition.lead.start
    if reader.position < start and world.choices.happens(50):
        reader.reset_past, reader.position = start, start
        world.tell(f"{reader.name} is moved to {start} by retention")
        return reader
    name = f"{reader.name}'"
    fresh = replace(
        reader, name=name, position=start, start=start, began_ns=world.now_ns, reset_past=None,
        low=None, high=-1, is_stuck=False,
    )  # fmt: skip
    world.readers[world.readers.index(reader)] = fresh
    world.tell(f"{reader.name} is {name} from {start} on")
    return fresh


def stop(world: World) -> None:
    if world.readers:
        find_end(world, world.choices.pick(world.readers))


def find_end(world: World, reader: Reader) -> None:
    """A reader that has got to the end of what it may be handed asks whether the log ends there.

    Since KIP-207 a young leader does not answer before its watermark is in its own epoch.
    """
    partition = reader.partition
    if partition.leader is None or partition.lead.watermark < partition.epoch_start:
        return
    stable, watermark = reader.end(), partition.lead.watermark
    low = world.errs("tells an end too low", 40) and reader.position > partition.lead.start
    if reader.position != stable and not (low and reader.position < stable):
        return
    held = stable < watermark and world.choices.happens(50)
    invoked_ns = world.tick()
    wait_us = 60_000_000 if held else 5000
    action = "stall" if held else "end"
    told = Stop(
        world.next_op(), reader, reader.position, action, invoked_ns, world.tick(wait_us),
        stable, watermark,
    )  # fmt: skip
    world.stops.append(told)
    bug = " BUG: too low" if reader.position < stable else ""
    world.tell(f"{reader.name}: {action} at {partition.name}@{reader.position}{bug}")


def read_all(world: World) -> None:
    """A last reader goes through every partition from its beginning to its end."""
    late = world.settings.late_readers
    world.settings.late_readers = False
    for partition in world.partitions:
        reader = new_reader(world, partition)
        poll(world, reader, partition.lead.end + 1)
        find_end(world, reader)
    world.settings.late_readers = late
