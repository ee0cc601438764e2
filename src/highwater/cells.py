"""The table of a comparison: which scenario is played on which Kafka, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.backends import Backend
from highwater.explained import explanation
from highwater.harness.cluster import ClusterSpec
from highwater.harness.controls import Control, find_control
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.judgement import judgement
from highwater.harness.model import Answer, Ending, Scenario, Verdict
from highwater.harness.record.reader import StoredRun
from highwater.harness.scenario import (
    ablations,
    expectation,
    lines_up_with,
    merged,
    plays_on,
    tolerated,
)
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import Kafka
from highwater.measured import Measured, summary
from highwater.promised import not_promised

# How the names of brokers' settings begin that are read in one mode alone.
READ_IN = {
    "zookeeper": ("zookeeper.",),
    "kraft": ("broker.session.", "broker.heartbeat.", "initial.broker.registration."),
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One scenario on one Kafka, perhaps under a control."""

    scenario: Scenario
    kafka: Kafka
    control: str | None
    backend: Backend = field(default_factory=Backend)
    features: Mapping[str, str] = field(default_factory=dict)  # of the user's own cluster

    @property
    def spec(self) -> ClusterSpec:
        """What the cluster is made of; cells with equal ones are played on the same."""
        changed = self._changed
        wanted = ClusterSpec(
            voters=self.scenario.voters,
            combined=self.scenario.combined,
            settings=self._settings,
            broker_settings=self.scenario.broker_settings,
            features=merged(self.features, changed.features),
            gated_clients=self.scenario.gated_clients,
            gated_metadata=self.scenario.gated_metadata,
            fake_clock=self.scenario.fake_clock,
            obeys_file_modes=self.scenario.obeys_file_modes,
            two_log_dirs=self.scenario.two_log_dirs,
            heap_mib=self.scenario.heap_mib,
        )
        return self.backend.fitted(wanted)

    @property
    def _settings(self) -> dict[str, str]:
        """Without those of another mode, unless the play may lead there."""
        settings = merged(self.scenario.settings, self._changed.settings)
        mine = self.kafka.mode
        others = tuple(start for mode in READ_IN if mode != mine for start in READ_IN[mode])
        leads_there = bool(self.scenario.upgrades_to)
        return {
            name: value
            for name, value in settings.items()
            if leads_there or not name.startswith(others)
        }

    @property
    def topic_settings(self) -> dict[str, str]:
        return merged(self.scenario.topic_settings, self._changed.topic_settings)

    @property
    def _changed(self) -> Control:
        return find_control(self.control)

    @property
    def expected(self) -> str:
        return expectation(self.scenario, self.kafka, self.control)

    @property
    def column(self) -> str:
        """The directory of its runs, and how it is called in progress lines."""
        return self.kafka.name + (f"+{self.control}" if self.control else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One play, judged."""

    played: Played
    verdicts: Sequence[Verdict]
    ending: Ending
    acked: int
    measured: Measured = field(default_factory=dict)  # nothing of a play that did not complete
    rewritten: Mapping[str, int] = field(default_factory=dict)  # answers, by api and error


@dataclass(slots=True)
class Result:
    """A cell with its trials."""

    cell: Cell
    trials: list[Trial] = field(default_factory=list)
    asked: int | None = None  # how many trials are to say something; None: all that there are

    def count(self, ending: Ending) -> int:
        return sum(trial.ending is ending for trial in self.trials)

    @property
    def unexpected(self) -> list[str]:
        """Claims that were violated though the scenario neither shows nor tolerates it."""
        scenario = self.cell.scenario
        allowed = {*scenario.claims, *tolerated(scenario, self.cell.kafka)}
        return sorted(
            {
                verdict.claim
                for trial in self.trials
                for verdict in trial.verdicts
                if verdict.answer is Answer.VIOLATED and verdict.claim not in allowed
            }
        )

    @property
    def as_expected(self) -> bool:
        """As many trials as were asked for showed what was expected, and none anything else.

        One that is inconclusive counts for nothing: another one has to stand in for it.
        """
        shown = self.count(Ending(self.cell.expected))
        contrary = len(self.trials) - shown - self.count(Ending.INCONCLUSIVE)
        asked = len(self.trials) if self.asked is None else self.asked
        return shown >= asked and not contrary and not self.unexpected

    def row(self, out: Path) -> dict[str, Any]:
        """The cell as it stands in compare.json."""
        return {
            "scenario": self.cell.scenario.name,
            "kafka": self.cell.kafka.name,
            "control": self.cell.control,
            "backend": self.cell.backend.name,
            "source": self.cell.scenario.source,
            "trials": len(self.trials),
            "reproduced": self.count(Ending.REPRODUCED),
            "clean": self.count(Ending.CLEAN),
            "inconclusive": self.count(Ending.INCONCLUSIVE),
            "expected": self.cell.expected,
            "as_expected": self.as_expected,
            "claims": list(self.cell.scenario.claims),
            "unexpected": self.unexpected,
            "acked": sum(trial.acked for trial in self.trials),
            "anomalies": self._anomalies(),
            "explained": self._explained,
            "not_promised": self._not_promised,
            "rewritten": _added(trial.rewritten for trial in self.trials),
            "seconds": [round(trial.played.seconds, 1) for trial in self.trials],
            "reasons": [why for trial in self.trials if (why := self._why_nothing(trial))],
            "runs": [str(trial.played.path.relative_to(out)) for trial in self.trials],
            "measures": summary([trial.measured for trial in self.trials]),
        }

    @property
    def _explained(self) -> str:
        """Where it is known that this client fails there; "" where nothing failed, or nobody says.

        That brokers fail somewhere is what a scenario is about, and its source says why.
        """
        scenario, client = self.cell.scenario, find_control(self.cell.control).client or OURS
        has_failed = self.count(Ending.REPRODUCED) or self.unexpected
        return explanation(client, scenario.name) if scenario.any_client and has_failed else ""

    @property
    def _not_promised(self) -> dict[str, str]:
        """What was told of this client and not charged, with where its library says so."""
        client = find_control(self.cell.control).client or OURS
        every = [verdict for trial in self.trials for verdict in trial.verdicts]
        return not_promised(client, every) if self.cell.scenario.any_client else {}

    def _why_nothing(self, trial: Trial) -> str:
        """Why a trial proves nothing, or was cut short; "" for one that says something."""
        if trial.played.reason or trial.ending is not Ending.INCONCLUSIVE:
            return trial.played.reason
        return judgement(self.cell.scenario.claims, trial.verdicts).reason

    def _anomalies(self) -> dict[str, int]:
        totals: dict[str, int] = {}
        for trial in self.trials:
            for verdict in trial.verdicts:
                if verdict.answer is Answer.VIOLATED:
                    totals[verdict.claim] = totals.get(verdict.claim, 0) + verdict.anomalies
        return totals


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def acked_records(run: StoredRun) -> int:
    """How many sends of a run were acknowledged."""
    return sum(_acked(part) for part in run.each_part("history"))


def _acked(history: pa.Table) -> int:
    sends = pc.equal(history["action"], "send")
    return int(pc.sum(pc.and_(sends, pc.equal(history["outcome"], "ok"))).as_py() or 0)


def not_lined_up(scenario: Scenario) -> str:
    """In words, where nobody plays it who can."""
    name = scenario.name
    clients = dict.fromkeys(each.partition(":")[0] for each in scenario.not_lined_up_with)
    return (
        f"{name} cannot be lined up with {', '.join(clients)}: expected another "
        f"client, as in highwater run {name} --control client=java, or highwater clients -s {name}"
    )


def make_cells(
    scenarios: Sequence[Scenario], kafkas: Sequence[Kafka], controls: Sequence[str]
) -> list[Cell]:
    """Every scenario on every Kafka that has what it needs, and again under every control.

    Raises UsageError when a scenario can be played on none of the Kafkas, or a control on none of
    the cells.
    """
    names = ", ".join(kafka.name for kafka in kafkas)
    for scenario in scenarios:
        if not any(plays_on(scenario, kafka) for kafka in kafkas):
            raise UsageError(
                f"{scenario.name} cannot be played on {names}: it needs a Kafka "
                f"{scenario.plays_on or 'of any version'} with {' or '.join(scenario.modes)}"
            )
    cells = [
        Cell(scenario=scenario, kafka=kafka, control=control)
        for kafka in kafkas
        for control in (None, *controls)
        for scenario in scenarios
        if plays_on(scenario, kafka) and _fits(control, scenario, kafka)
    ]
    for scenario in scenarios:
        if not any(cell.scenario is scenario for cell in cells):
            raise UsageError(not_lined_up(scenario))
    for control in controls:
        if not any(cell.control == control for cell in cells):
            aside = [each for each in scenarios if not _lines_up(each, control)]
            if aside:
                raise UsageError(not_lined_up(aside[0]))
            raise UsageError(
                f"control {control} applies to none of the scenarios on {names}; "
                f"it needs {find_control(control).needs}"
            )
    return cells


def _lines_up(scenario: Scenario, control: str | None) -> bool:
    return lines_up_with(scenario, find_control(control).client or OURS)


def _fits(name: str | None, scenario: Scenario, kafka: Kafka) -> bool:
    control = find_control(name)
    if not _lines_up(scenario, name):
        return False
    if control.client:
        return bool(scenario.any_client)
    return control.applies(kafka) and (not control.without or name in ablations(scenario))


def sharing(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells whose Kafka and static settings agree, and which can be played on one cluster."""
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        key = (cell.kafka.name, cell.kafka.unpacked, *cell.spec.key)
        groups.setdefault(key, []).append(cell)
    yield from groups.values()
