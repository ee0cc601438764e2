"""The schedule of a replay: its steps, how it was found and made small, and what was promised."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.settings import STEADY
from highwater.reports.forms import is_count, is_number, is_text, several
from highwater.reports.trials import command
from highwater.reports.wording import compact, counted

SOURCE = "a schedule"  # what a run rests on that replays one
SCHEDULE = "schedule.json"
MOST = 60  # steps; a storm has more
AROUND = ("waits", "before", "after", "danger", "seen")  # what is of a step and not of its move
MOVES = {  # of a search, and what they assume
    "gentle": "no broker dies",
    "busy": "no broker dies, and records are sent all the time",
    "rough": "brokers die, shut down, freeze or are alone, and their logs stay whole",
    "neighbours": "as with rough; two partitions are sent to, and led, on the same brokers",
    "topics": "as with rough; replicas are taken and given back, and the topic is created anew",
    "disks": "as with rough; a broker that is down, and out of sync, comes back with nothing",
    "clocks": "as with rough; wall clocks jump by an hour at most",
    "power": "a broker at a time dies, and what it had not flushed is gone",
    "idempotent": "a broker at a time dies or shuts down; what has no answer is sent again",
    "groups": "no broker dies; what is sent are positions that groups commit",
    "members": "no broker dies; members take groups over, and who was there before commits late",
    "pipelines": "as with transactions, in which groups commit positions in the place of records",
    "quorum": "controllers are at odds, a minority of them at a time, and a broker dies at a time",
    "transactions": "no broker dies; producers commit nothing of which they do not know all",
    "rough-transactions": "as with transactions, and a broker at a time dies or freezes",
}
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"


@dataclass(frozen=True, slots=True)
class Step:
    words: str
    before: Sequence[str]  # the leader, then the followers
    after: Sequence[str]
    danger: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """What was played again; `facts` are words with what they say of it."""

    steps: Sequence[Step]
    left_out: int
    facts: Sequence[tuple[str, str]]


def schedule_of(run: Path, identity: Mapping[str, Any], problems: list[str]) -> Schedule | None:
    """Of a run that replayed one; what is there and cannot be read is one of the problems."""
    path = run / SCHEDULE
    if not path.exists():
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if "replays" not in told["origin"]:
            return None  # what a scenario did
        steps = [_step(row) for row in told["steps"]]
        facts = [*_found(told["origin"]), *_promised(told["origin"], identity)]
    except UNREADABLE as error:
        problems.append(f"{path} is not as we write it: {error!r:.200}")
        return None
    return Schedule(steps[:MOST], max(0, len(steps) - MOST), facts)


def command_again(run: Path, path: str, identity: Mapping[str, Any]) -> str:
    """The command line that plays it again, beside the page; `path` is the run's, as shown there.

    "" for what nobody plays by a command.
    """
    if identity.get("source") != SOURCE:
        return command(identity)
    if "kafka" not in identity or not (run / SCHEDULE).exists():
        return ""
    run_words = shlex.split(command({**identity, "scenario": path}))
    return shlex.join(["highwater", "replay", *run_words[2:]])


def _step(row: Mapping[str, Any]) -> Step:
    told = {name: value for name, value in row.items() if name not in AROUND}
    move = told.pop("move")
    arguments = ", ".join(f"{name}={compact(value)}" for name, value in told.items())
    return Step(
        f"{move}({arguments}){'' if row.get('waits', True) else ' at once'}",
        _fit("before", row.get("before", []), several(is_text)),
        _fit("after", row.get("after", []), several(is_text)),
        _fit("danger", row.get("danger", 0), is_count),
    )


def _fit(name: str, told: Any, form: Any) -> Any:
    """Raises ValueError for what is not of this form."""
    if not form(told):
        raise ValueError(f"{name} is {told!r:.80}")
    return told


def _found(origin: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How it was found and made small, as far as somebody has told."""
    facts: list[tuple[str, str]] = []
    if "number" in origin and "seed" in origin:
        by = compact(origin.get("strategy"))
        told = f"schedule {compact(origin['number'])} of seed {compact(origin['seed'])}, {by}"
        facts.append(("found by a search", told))
    if "hits" in origin and "plays" in origin:
        told = f"in {compact(origin['hits'])} of {compact(origin['plays'])} plays of the small one"
        facts.append(("shown when it was shrunk", told))
    shrinking = origin.get("shrinking")
    if isinstance(shrinking, Mapping) and shrinking:
        plays = _fit("plays", shrinking.get("plays"), is_count)
        spent = _fit("seconds", shrinking.get("seconds"), is_number)
        before = counted(_fit("steps_before", shrinking.get("steps_before"), is_count), "step")
        ended = "; the time for that was over, and less may do" * bool(shrinking.get("cut_short"))
        facts.append(("shrinking", f"from {before}, {plays} plays in {spent:.0f} s{ended}"))
    return facts


def _promised(origin: Mapping[str, Any], identity: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What had to be kept all the same: a loss counts only under these."""
    settings = {**STEADY, **identity.get("settings", {}), **identity.get("topic_settings", {})}
    unclean = "on" if str(settings[UNCLEAN]).lower() == "true" else "off"
    promises = ["acks=all", f"{MIN_ISR}={compact(settings[MIN_ISR])}"]
    promises.append(f"unclean elections {unclean}")
    moves = origin.get("moves")
    if moves is not None:
        meaning = MOVES.get(str(moves), "")
        promises.append(f"{compact(moves)} moves{f' ({meaning})' if meaning else ''}")
    return [("promises that were assumed", "; ".join(promises))]
