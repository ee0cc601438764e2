"""A schedule as a scenario: played with a whole record, and judged as every other one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from highwater.exploration.files import write_schedule
from highwater.exploration.searched import SEARCHED
from highwater.exploration.steps import FEATURES, Schedule, Step
from highwater.exploration.terrain import Terrain
from highwater.exploration.walk import Walk, following, walk
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.versions.catalogue import MODES, Kafka

SOURCE = "a schedule"  # what a run rests on that plays one
SCHEDULE = "schedule.json"  # in a run directory: what was done, and how the replicas were
MODE = re.compile(f"-({'|'.join(MODES.values())})$")  # at the end of a Kafka's name
MOST_TOLD = 5  # steps, where none could be taken
CLAIMS = ("lost-write", "replica-divergence")
FROM_A_LOSS = (  # what may be violated as well: it is how records are lost, or what comes of it
    "committed-truncation", "lagging-in-sync", "high-watermark-regression", "unseen", "stale-read",
    "leader-high-watermark", "follower-high-watermark", "inconsistent-offsets", "stuck-reader",
    "torn-transaction", "aborted-read", "hanging-transaction",
)  # fmt: skip


def as_scenario(name: str, schedule: Schedule) -> Scenario:
    """Plays the steps by states: before each it waits for the state that was recorded before it."""

    def play(play: Play, partition: Partition) -> None:
        steps = [each.step for each in schedule.steps]
        ground = Terrain.of(schedule).ground(play, partition)
        done = Walk()
        try:
            try:
                walk(ground, following(steps), [each.before for each in schedule.steps], done)
            finally:
                ground.heal()
            ground.revive()
        finally:  # what was done is known, whatever has become of the cluster since
            _keep(play, replace(schedule, origin={**schedule.origin, "replays": name}), done)
        if done.lacking:
            raise PreconditionError(
                f"a step that the schedule needs was not taken: {done.lacking[0]}"
            )
        require_taken(done, steps, ground.kafka)

    told = SEARCHED if schedule.setting is None else schedule.setting
    setting = {name: value for name, value in told.items() if name != FEATURES}
    return Scenario(
        name=name,
        story=f"A schedule that was found on {schedule.kafka}.\n\n{schedule.story}.",
        play=play,
        source=SOURCE,
        reproduces=f"=={MODE.sub('', schedule.kafka)}",
        claims=tuple(schedule.claims) or CLAIMS,
        **setting,
        tolerates=dict.fromkeys(FROM_A_LOSS, "it comes with the loss of records"),
    )


def _keep(play: Play, schedule: Schedule, done: Walk) -> None:
    """Write down what was done of a schedule, and what went otherwise than when it was found."""
    told = replace(schedule, kafka=play.cluster.kafka.name, steps=done.taken)
    write_schedule(play.record.path / SCHEDULE, told)
    if done.parted is not None:
        which = f"step {done.parted + 1} ({schedule.steps[done.parted].step})"
        play.note(f"the state before {which} was another one than when it was found")
    for failure in done.failures:
        play.note(f"a step was not done: {failure}")
    for step in done.left_out:
        play.note(f"a step did not fit as things stood, and was left out: {step}")


def require_taken(done: Walk, steps: Sequence[Step], kafka: Kafka) -> None:
    """Raises PreconditionError, which names the first steps, where none of them was taken."""
    if done.taken or not steps:
        return
    told = "; ".join(str(each) for each in steps[:MOST_TOLD])
    more = f" and {len(steps) - MOST_TOLD} more" if len(steps) > MOST_TOLD else ""
    raise PreconditionError(
        f"no step of the schedule could be played on Kafka {kafka.name}: {told}{more}"
    )
