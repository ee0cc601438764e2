"""`replay` and `shrink`: a schedule is played again, recorded and judged; or made small."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from highwater.adopting import SETS, kafka_named, kafkas_named
from highwater.console import say
from highwater.exploration.drafts import draft
from highwater.exploration.files import write_schedule
from highwater.exploration.steps import Step
from highwater.exploration.terrain import Terrain
from highwater.exploration.topologies import is_searched
from highwater.exploration.walk import following
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.catalogue import Kafka, every_kafka
from highwater.playing import Options, play_cells
from highwater.rounds import Rounds
from highwater.scheduled import Scheduled, found, name_of, naming, require_known
from highwater.shrunk import AGAIN, SHRINK_S, shrunk
from highwater.workshop import workshop


def replay(place: Path, kafkas: Sequence[str], options: Options) -> int:
    """Play it so and so often on each Kafka; the report lines them up. Returns the exit code.

    It is expected to show on the Kafka that it was found on, and on no other one; that of a run in
    which nothing was violated is expected to show nothing. Of `all` and `ladder` those are left out
    that cannot play it. Raises UsageError for what is no schedule, a Kafka that nobody knows or
    that does not know a step of it, or a fault that the backend cannot have.
    """
    scheduled = Scheduled.at(place)
    schedule = scheduled.schedule
    with naming(scheduled.path):
        own = [] if kafkas else [kafka_named(schedule.kafka, offline=options.offline)]
    named = own or kafkas_named(kafkas, offline=options.offline)
    own += [kafka_named(each, offline=options.offline) for each in kafkas if each not in SETS]
    named = _able(scheduled, own, named, options)
    cells = [scheduled.on(each, options.backend) for each in named]
    say(f"{len(schedule.steps)} steps: {schedule.story}")
    return play_cells(cells, options)


def _able(
    scheduled: Scheduled, own: Sequence[Kafka], kafkas: Sequence[Kafka], options: Options
) -> list[Kafka]:
    """Those that can play it; raises UsageError where none can, or not one of the `own` ones."""
    able = [each for each in kafkas if not scheduled.why_not(each, options.backend)]
    left = [each for each in kafkas if each not in able]
    if refused := [each for each in left if each in own] or (left if not able else []):
        raise UsageError(scheduled.why_not(refused[0], options.backend))
    if left:
        say(f"left out, where it cannot be played: {', '.join(each.name for each in left)}")
    return able


def shrink(place: Path, kafka: str | None, *, offline: bool, budget_s: float = SHRINK_S) -> int:
    """Write the smallest schedule that shows the same beside it; returns the exit code.

    Raises UsageError where the whole one shows nothing, or is for another cluster than searches
    play on.
    """
    path, schedule = found(place)
    if not is_searched(schedule.setting):
        raise UsageError(
            f"{path} is for a cluster with settings of its own, and `shrink` plays on that of "
            f"searches, where another thing may happen: `highwater replay {path}` plays it as is"
        )
    with naming(path) if kafka is None else nullcontext():
        known = kafka_named(kafka or schedule.kafka, offline=offline)
    steps = tuple(each.step for each in schedule.steps)
    require_known(schedule, known, path)
    terrain = Terrain.of(schedule)
    with (
        workshop() as shop,
        Rounds(known, shop, say, terrain=terrain, offline=offline) as rounds,
    ):
        _require_shown(rounds, steps, f"on {known.name} by {path}")
        told = shrunk(rounds, schedule, budget_s)
    target = path.with_name(f"{path.name.removesuffix('.json')}.small.json")
    write_schedule(target, told.schedule)
    say(told.told)
    say(f"highwater replay {target}")
    return 0


def _require_shown(rounds: Rounds, steps: Sequence[Step], where: str) -> None:
    """Raises UsageError where AGAIN plays show nothing, InfrastructureError where none is one."""
    took_steps = False
    for _ in range(AGAIN):
        played = rounds.play(following(steps))
        if played.finding.found:
            return
        took_steps |= bool(played.taken)
    if not took_steps:
        told = played.finding.told
        raise InfrastructureError(f"no step could be taken {where} in {AGAIN} plays: {told}")
    raise UsageError(f"nothing is lost {where} in {AGAIN} plays: nothing to shrink")


def explain(place: Path) -> str:
    """The beginning of a scenario that does the same; raises UsageError for what is no schedule."""
    path, schedule = found(place)
    try:
        return draft(name_of(path, schedule), schedule)
    except UsageError as error:
        raise UsageError(f"nothing can be drafted of {path}: {error}") from error
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is not as we write it, and nothing can be drafted of it: expected brokers of "
            f"three, and offsets by broker in `seen`; {error!r:.120}"
        ) from error


def beside(kafka: Kafka) -> list[Kafka]:
    """The release before, this one, and the release after, of the same mode."""
    known = [each for each in every_kafka() if each.mode == kafka.mode]
    if kafka not in known:
        return [kafka]
    at = known.index(kafka)
    return known[max(0, at - 1) : at + 2]
