"""What of a world gets into the record: all of it, or less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.model.applying import Applied, applied_of
from tests.model.choices import Choices
from tests.model.circling import Within, within_of
from tests.model.clients import OK, SECOND_NS, Reader, Send
from tests.model.completing import Completing, completing_of
from tests.model.disks import Disk, break_one, disks_of
from tests.model.flushing import Flush, flushes_of
from tests.model.lives import Lives, lives_of
from tests.model.looks import LeftOut, leave_out, pulses_of
from tests.model.moving import Moving, moving_of
from tests.model.overshooting import overshoot
from tests.model.owning import lapse, leave_undone
from tests.model.piping import Pipeline, pipeline_of
from tests.model.program import heal, play
from tests.model.reading import read_all
from tests.model.sharing import Shared, shares_of
from tests.model.sights import Pulse
from tests.model.uncommitted import look_at_all, take_in
from tests.model.world import Settings, World, settings_of

GRAINS_NS = (1, 1_000_000, 20_000_000)  # of the clock that the record's times are of


@dataclass
class Evidence:
    """What the record leaves out."""

    is_healed: bool = True
    has_last_reader: bool = True
    has_ends: bool = True
    has_logs: bool = True
    has_checkpoints: bool = True
    has_starts: bool = True
    without_log: set[tuple[str, int]] = field(default_factory=set)  # (partition, broker)
    has_looks: bool = True
    has_fetches: bool = True
    grain_ns: int = 1
    tells_invocations: bool = False
    tells_clients: bool = False  # who uses transactions, and which records readers want
    tells_topics: bool = False  # whether a limit to retention is set; and where readers began

    def rounded(self, at_ns: int) -> int:
        return at_ns // self.grain_ns * self.grain_ns


@dataclass(frozen=True, slots=True)
class Rest:
    """A time in which nothing was done, and no group was handed anything."""

    since_ns: int
    until_ns: int
    left: LeftOut | None = None


@dataclass
class Case:
    """A world, what lies on its disks, and what of both is in the record."""

    world: World
    disks: list[Disk]
    evidence: Evidence
    settings: Settings
    pulses: list[Pulse]
    pipeline: Pipeline | None = None
    rest: Rest | None = None
    shares: Sequence[Shared] = ()
    within: Within | None = None
    applied: Applied | None = None
    lives: Lives = field(default_factory=Lives)
    completing: Completing = field(default_factory=Completing)
    flushes: Sequence[Flush] = ()
    moving: Moving = field(default_factory=Moving)

    @property
    def tells_limits(self) -> bool:
        """Whether the record says that retention may delete."""
        return self.settings.retention and self.evidence.tells_topics

    def began_at_0(self, reader: Reader) -> bool:
        """Whether the record says so, and that nothing can have been deleted before.

        A member of a group may have begun anywhere, whatever it would do without a position.
        """
        told = self.evidence.tells_clients and self.evidence.tells_topics
        alone = reader.group is None and not self.settings.retention
        return told and reader.start == 0 and alone

    def precedes(self, one_ns: int, other_ns: int) -> bool:
        """By the record's clock, strictly."""
        return self.evidence.rounded(one_ns) < self.evidence.rounded(other_ns)


def evidence_of(choices: Choices) -> Evidence:
    """Half of all records are complete."""
    if not choices.happens(50):
        return Evidence(tells_invocations=choices.happens(20))
    clients_alone = choices.happens(40)
    return Evidence(
        is_healed=not choices.happens(20),
        has_last_reader=not choices.happens(40),
        has_ends=not clients_alone,
        has_logs=not clients_alone and not choices.happens(15),
        has_checkpoints=not clients_alone and not choices.happens(15),
        has_starts=not choices.happens(15),
        has_looks=not clients_alone and not choices.happens(15),
        has_fetches=not clients_alone and not choices.happens(15),
        grain_ns=choices.pick(GRAINS_NS),
        tells_invocations=choices.happens(30),
    )


def case_of(choices: Choices, steps: int = 60) -> Case:
    """A story and its record."""
    evidence = evidence_of(choices)
    world = play(choices, settings_of(choices, steps))
    rest = _ended(world, evidence) if evidence.is_healed else None
    disks = disks_of(choices, world.partitions)
    if choices.happens(15):
        told = break_one(choices, disks)
        world.tell(told or "no disk has anything to break")
    if evidence.has_logs and not evidence.has_last_reader and choices.happens(30):
        gone = choices.pick(disks)
        evidence.without_log.add((gone.partition.name, gone.broker))
    if choices.happens(20):
        _forget_offsets(choices, world.sends)
    pulses = _pulses(choices, rest)
    evidence.tells_clients = choices.happens(50)
    evidence.tells_topics = choices.happens(50)
    leave_undone(choices, world)
    if choices.happens(50):
        lapse(choices, world)
    pipeline = pipeline_of(choices, world) if choices.happens(60) else None
    shares = shares_of(choices, world) if choices.happens(40) else []
    within, applied = within_of(world), applied_of(world)
    overshoot(world)
    lives = lives_of(choices, world)
    completing = completing_of(choices, 0 if rest is None else rest.since_ns)
    flushes = flushes_of(choices, world)
    if evidence.tells_clients:
        pipeline, within = take_in(world, pipeline, within)
    moving = moving_of(choices)
    more = (pipeline, rest, shares, within, applied, lives, completing, flushes, moving)
    return Case(world, disks, evidence, world.settings, pulses, *more)


def _ended(world: World, evidence: Evidence) -> Rest | None:
    """All is healed, and mostly read."""
    heal(world)
    rest = rest_of(world) if world.ops % 2 else None
    if evidence.has_last_reader:
        read_all(world)
    look_at_all(world)
    return rest


def rest_of(world: World) -> Rest:
    """A minute in which members could have read what there was, and did not; nothing is chosen."""
    since_ns = world.now_ns + 1
    world.now_ns += 60 * SECOND_NS
    last_ns = max((one.at_ns for one in world.looks), default=0)
    again = [replace(one, at_ns=world.now_ns) for one in world.looks if one.at_ns == last_ns]
    left = leave_out(world, again, since_ns) if world.ops % 4 == 1 else None
    world.looks += again
    world.tell("no group has read anything for a minute")
    return Rest(since_ns, world.now_ns, left)


def _pulses(choices: Choices, rest: Rest | None) -> list[Pulse]:
    """Of brokers that a scenario watched."""
    found = pulses_of(choices) if choices.happens(20) else []
    return rest.left.pulses if rest is not None and rest.left is not None else found


def _forget_offsets(choices: Choices, sends: list[Send]) -> None:
    """A client that was not told where its records stand."""
    for one in sends:
        if one.outcome == OK and choices.happens(30):
            one.offset = None
