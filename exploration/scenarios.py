"""A schedule as a scenario: played with a whole record, and judged as every other one."""

from __future__ import annotations

from dataclasses import replace

from highwater.exploration.files import write_schedule
from highwater.exploration.ground import Ground
from highwater.exploration.rounds import IMPATIENT, SEARCHED
from highwater.exploration.steps import FEATURES, Schedule
from highwater.exploration.walk import following, walk
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play

SCHEDULE = "schedule.json"  # in a run directory: what was done, and how the replicas were
CLAIMS = ("lost-write", "replica-divergence")
FROM_A_LOSS = (  # what may be violated as well: it is how records are lost, or what comes of it
    "committed-truncation", "lagging-in-sync", "high-watermark-regression", "unseen", "stale-read",
    "leader-high-watermark", "follower-high-watermark", "inconsistent-offsets", "stuck-reader",
    "torn-transaction", "aborted-read", "hanging-transaction",
)  # fmt: skip


def as_scenario(name: str, schedule: Schedule) -> Scenario:
    """Plays the steps by states: before each it waits for the state that was recorded before it."""

    def play(play: Play, partition: Partition) -> None:
        ground = Ground(play, partition, frozenset({IMPATIENT}))
        try:
            steps = [each.step for each in schedule.steps]
            done = walk(ground, following(steps), [each.before for each in schedule.steps])
        finally:
            ground.heal()
        ground.revive()
        told = replace(
            schedule,
            kafka=ground.kafka.name,
            steps=done.taken,
            origin={**schedule.origin, "replays": name},
        )
        write_schedule(play.record.path / SCHEDULE, told)
        if done.parted is not None:
            which = f"step {done.parted + 1} ({steps[done.parted]})"
            play.note(f"the state before {which} was another one than when it was found")
        for failure in done.failures:
            play.note(f"a step was not done: {failure}")
        if done.lacking:
            raise PreconditionError(f"a fault of the schedule was not injected: {done.lacking[0]}")
        if len(done.taken) < len(steps) and not done.taken:
            raise PreconditionError(f"none of the steps could be taken: {done.failures}")

    told = SEARCHED if schedule.setting is None else schedule.setting
    setting = {name: value for name, value in told.items() if name != FEATURES}
    return Scenario(
        name=name,
        story=f"A schedule that was found on {schedule.kafka}.\n\n{schedule.story}.",
        play=play,
        source="a schedule",
        reproduces=f"=={schedule.kafka.removesuffix('-zk')}",
        claims=tuple(schedule.claims) or CLAIMS,
        **setting,
        tolerates=dict.fromkeys(FROM_A_LOSS, "it comes with the loss of records"),
    )
