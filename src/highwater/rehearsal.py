"""A rolling upgrade of a user's configuration, as a scenario; and what its record says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from highwater.achieved import of_topics, whole
from highwater.backends import Backend
from highwater.cells import Cell, Result, Trial
from highwater.configuration import LEAST, Configuration, defaults
from highwater.harness.judgement import judgement
from highwater.harness.model import Answer, Ending, Scenario
from highwater.harness.record.reader import open_run
from highwater.harness.scenario import merged, tolerated
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.upgrading import first_level, successor
from highwater.measured import final_readers
from highwater.scenarios.acts.rehearsal import BEFORE, LOADED, rehearse, steps_from

NAME = "rehearse-upgrade"
CLAIMS = ("lost-write", "replica-divergence")
OF_LOADS = ("acked", "failed", "unknown", "ack_p99_ms", "ack_max_ms", "longest_gap_ms")
OF_FAULTS = ("first_ack_ms", "silent_ms", "leaderless_ms", "full_isr_ms")
# Long enough for a laggard to stay in the ISR while it is held, and short enough to wait for.
LAG = {"replica.lag.time.max.ms": "30000"}


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """From one release to another, with the settings of a file if there is one."""

    begins: Kafka
    ends: Kafka
    configured: Configuration | None

    @property
    def cell(self) -> Cell:
        settings = self.configured.settings if self.configured else {}
        least = least_played(self.configured) if self.configured else "2"
        scenario = Scenario(
            name=NAME,
            story=f"{self.title}\n\n{rehearse.__doc__ or ''}",
            play=partial(rehearse, release=self.ends.name),
            source=f"Kafka's notes on upgrading to {self.ends.version}",
            reproduces="",
            claims=CLAIMS,
            upgrades_to=self.ends.name,
            settings=merged(settings, {LEAST: least}, LAG),
            topic_settings={LEAST: least},
            tolerates={"committed-truncation": "it is how records are lost in an election"},
        )
        features = self.configured.features if self.configured else {}
        return Cell(
            scenario=scenario,
            kafka=self.begins,
            control=None,
            backend=Backend(),
            features=features,
        )

    @property
    def title(self) -> str:
        return (
            f"A rolling upgrade from {self.begins.name} to {self.ends.name} while records are sent."
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """What traps are set after."""
        return BEFORE, *steps_from(self.begins, self.cell.spec.settings)


def least_played(configured: Configuration) -> str:
    """The min.insync.replicas of a rehearsal: one of three replicas is down at times."""
    return str(min(int(configured.settings[LEAST]), 2))


def rehearsal(begins: Kafka, to: str, configured: Configuration | None) -> Rehearsal:
    """Raises UsageError for a release that cannot follow on the first one."""
    settings = configured.settings if configured else defaults(begins)
    return Rehearsal(begins, successor(begins, first_level(begins, settings), to), configured)


def described(asked: Rehearsal, result: Result) -> dict[str, Any]:
    """What the last trial in which something was lost says, that came to its end, or that there is.

    What a trial has shown before it was cut short another one does not take back.
    """
    bad = [each for each in result.trials if _is_bad(asked, each)]
    whole = [each for each in result.trials if each.played.complete]
    trial = (bad or whole or result.trials)[-1]
    answer, reason = answer_of(asked, trial)
    return {
        "from": asked.begins.name,
        "to": asked.ends.name,
        "answer": answer,
        "reason": reason,
        "violated": _violated(trial),
        "steps": list(_steps(asked, trial)),
        **(_measured(trial) if trial.played.complete else {"loads": [], "faults": []}),
    }


def answer_of(asked: Rehearsal, trial: Trial) -> tuple[str, str]:
    """What is said of it, and why where nothing can be: without evidence for each claim."""
    scenario = asked.cell.scenario
    if _is_bad(asked, trial):
        return "violated", trial.played.reason
    unfinished = "" if trial.played.complete else trial.played.reason or "it was cut short"
    said = judgement(scenario.claims, trial.verdicts, unfinished)
    return "held" if said.ending is Ending.CLEAN else "unknown", said.reason


def _is_bad(asked: Rehearsal, trial: Trial) -> bool:
    return bool({*_violated(trial)} - {*tolerated(asked.cell.scenario, asked.cell.kafka)})


def _violated(trial: Trial) -> dict[str, int]:
    return {each.claim: each.anomalies for each in trial.verdicts if each.answer is Answer.VIOLATED}


def _steps(asked: Rehearsal, trial: Trial) -> Iterator[dict[str, Any]]:
    """What became of the trap after each step, and of what was sent meanwhile."""
    named = str(open_run(trial.played.path).identity["topic"])
    acked = _acked(trial)
    violated = [each for each in trial.verdicts if each.answer is Answer.VIOLATED]
    # A verdict names the first ones; of the others nobody knows at which step they were.
    uncounted = [each.claim for each in violated if each.anomalies > len(each.witnesses)]
    for step in (*asked.steps, LOADED):
        topic = named if step == BEFORE else f"{named}-{step}"
        lost = {
            each.claim: sum(one.get("topic") == topic for one in each.witnesses)
            for each in violated
        }
        yield {
            "step": step,
            "topic": topic,
            "acked": acked.get(topic),  # None: it was not come to
            "violated": {claim: count for claim, count in lost.items() if count},
            "uncounted": uncounted,
        }


def _acked(trial: Trial) -> dict[str, int]:
    """Records that were acknowledged, by topic."""
    found: dict[str, int] = {}
    run = open_run(trial.played.path)
    last = final_readers(run)
    for row in whole(run.measures()):
        if row["client"] not in last:
            found[row["topic"]] = found.get(row["topic"], 0) + row["acked"]
    return found


def _measured(trial: Trial) -> dict[str, list[dict[str, Any]]]:
    run = open_run(trial.played.path)
    loaded = f"{run.identity['topic']}-{LOADED}"
    last = final_readers(run)
    sent = [
        row for row in whole(run.measures()) if row["topic"] == loaded and row["client"] not in last
    ]
    loads = [{"client": row["client"], **{name: row[name] for name in OF_LOADS}} for row in sent]
    while_sending = [(row["from_ns"], row["until_ns"]) for row in sent if row["until_ns"]]
    faults = [
        {
            "fault": row["fault"],
            "at_s": round(row["from_ns"] / 1e9, 1),
            **{name: row[name] for name in OF_FAULTS},
        }
        for row in of_topics(run.recoveries())
        if row["topic"] == loaded
        and any(first <= row["from_ns"] <= end for first, end in while_sending)
    ]
    return {"loads": loads, "faults": sorted(faults, key=lambda each: each["at_s"])}
