"""Which losses a configuration permits: each scenario that a setting decides, as it is set there.

A question has one setting. Everything else that its scenario says of the topic stays, so that the
answer is about this setting; everything else that the user's file says is played as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from highwater.backends import Backend
from highwater.cells import Cell, Result
from highwater.configuration import LEAST, REPLICAS, Configuration
from highwater.harness.controls import ELR, Control, find_control
from highwater.harness.model import Ending, Scenario
from highwater.harness.scenario import ablations, merged, plays_on
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.numbers import in_range

_MOST_ARE_BROKERS = {LEAST: "refuses", REPLICAS: "keeps"}  # no more than a play has replicas
POWER_LOSS = "without=CutTail"  # what takes from a log the records that were not flushed


class Answer(StrEnum):
    PERMITTED = "permitted"  # what the scenario is about came about
    PREVENTED = "prevented"
    UNKNOWN = "unknown"  # it was not played to its end


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Does this setting, as it is, permit what this scenario is about?"""

    scenario: Scenario  # as the catalogue has it
    setting: str
    value: str  # "" where only a cluster that was formatted so knows it
    origin: str  # who says so
    cell: Cell  # the scenario on the user's configuration
    changed: Cell  # and with the setting changed
    change: str  # in words
    remark: str = ""


@dataclass(slots=True)
class Asked:
    """A question and what was played for it."""

    question: Question
    configured: Result
    changed: Result | None = None

    @property
    def answer(self) -> Answer:
        return answer_of(self.configured)

    @property
    def helps(self) -> Answer | None:
        """What the change came to: PREVENTED is what it is for; None where it was not played."""
        return None if self.changed is None else answer_of(self.changed)

    def row(self, out: Path) -> dict[str, Any]:
        """As accept.json has it."""
        question = self.question
        return {
            "scenario": question.scenario.name,
            "title": question.scenario.story.splitlines()[0],
            "story": question.scenario.story,
            "setting": question.setting,
            "value": question.value,
            "origin": question.origin,
            "remark": question.remark,
            "answer": self.answer.value,
            "configured": self.configured.row(out),
            "change": question.change if self.answer is Answer.PERMITTED else None,
            "helps": self.helps.value if self.helps else None,
            "changed": self.changed.row(out) if self.changed else None,
        }


def answer_of(result: Result) -> Answer:
    """Another trial stands in for one that proved nothing, as in a comparison."""
    if result.count(Ending.REPRODUCED) or result.unexpected:
        return Answer.PERMITTED
    clean = result.count(Ending.CLEAN)
    asked = len(result.trials) if result.asked is None else result.asked
    return Answer.PREVENTED if clean and clean >= asked else Answer.UNKNOWN


def questions(
    configured: Configuration, kafka: Kafka, catalogue: Sequence[Scenario], backend: Backend
) -> list[Question]:
    """Of each scenario that a setting decides on this Kafka, in the order of the catalogue.

    One that only an old protocol or a switch brings back is asked about where the file has it.
    """
    asker = _Asker(configured, kafka, backend)
    return [question for each in catalogue for question in asker.about(each)]


@dataclass(frozen=True, slots=True)
class _Asker:
    configured: Configuration
    kafka: Kafka
    backend: Backend

    def about(self, scenario: Scenario) -> Iterator[Question]:
        """One question or none."""
        cure = self._cure(scenario) if plays_on(scenario, self.kafka) else None
        if cure is None:
            return
        decided = _settings(find_control(cure))
        # Of two that go together what the file has, or else the one that the other follows.
        named = [each for each in decided if each in self.configured.own] or [*decided][:1]
        setting = named[0]
        value, origin = self._value(setting)
        settings, remark = self._bearable(scenario, setting)
        asked = _as_configured(scenario, settings, decided)
        flushed = self.configured.flushes_each and POWER_LOSS in ablations(scenario)
        if flushed:
            whole = "every record is flushed before it is answered: a power loss takes nothing"
            remark = "; ".join(filter(None, [remark, whole]))
        curing = replace(asked, settings=merged(asked.settings, _of_brokers(find_control(cure))))
        yield Question(
            scenario=scenario,
            setting=setting,
            value=value,
            origin=origin,
            cell=self._cell(asked, POWER_LOSS if flushed else None),
            changed=self._cell(curing, cure),
            change=", ".join(_in_words(each, decided[each]) for each in named),
            remark=remark,
        )

    def _cell(self, scenario: Scenario, control: str | None) -> Cell:
        return Cell(
            scenario=scenario,
            kafka=self.kafka,
            control=control,
            backend=self.backend,
            features=self.configured.features,
        )

    def _cure(self, scenario: Scenario) -> str | None:
        """The control that is to prevent it; None where no setting of the user's decides."""
        kafka = self.kafka
        cures = [each for each in scenario.cured_by if find_control(each).applies(kafka)]
        back = [each for each in scenario.restored_by if find_control(each).applies(kafka)]
        fails = in_range(kafka.version, scenario.reproduces)
        if cures and (fails or back):
            return cures[0]
        has = any(self.configured.own & _settings(find_control(each)).keys() for each in back)
        return _turned(back[0], kafka) if has and not fails else None

    def _value(self, setting: str) -> tuple[str, str]:
        """What it is set to, and who says so."""
        configured, name = self.configured, self.configured.path.name
        if setting in configured.features:
            return configured.features[setting], "--feature"
        if setting in configured.elsewhere:
            told = f"what {name} says of it is set aside; the default of Kafka {self.kafka.version}"
            return configured.settings.get(setting, ""), told
        if setting in configured.own:
            return configured.settings[setting], name
        value = configured.settings.get(setting, "")
        if not value:
            return "", f"as a new cluster of Kafka {self.kafka.version} has it"
        return value, f"{name} does not say; the default of Kafka {self.kafka.version}"

    def _bearable(self, scenario: Scenario, asked: str) -> tuple[dict[str, str], str]:
        """The file's settings, and what is to be said where a play cannot have one as it is."""
        settings, most, remark = dict(self.configured.settings), scenario.replicas, ""
        for name, does in _MOST_ARE_BROKERS.items():
            value = settings[name]
            if int(value) > most:
                settings[name] = str(most)
                said = f"{name}={value} {does} more still than {most}, which was played with {most}"
                remark = f"{said} replicas" if asked == name else remark
        return settings, remark


def _as_configured(
    scenario: Scenario, settings: Mapping[str, str], decided: Mapping[str, str]
) -> Scenario:
    """Without what the scenario itself says of the setting; nothing is expected to be lost.

    What the play is timed by stays.
    """
    return replace(
        scenario,
        settings=merged(settings, _without(scenario.settings, decided)),
        topic_settings=_without(scenario.topic_settings, decided),
        reproduces="",
        restored_by=(),
        not_reproducible_on="",
    )


def _without(settings: Mapping[str, str], decided: Mapping[str, str]) -> dict[str, str]:
    return {name: each for name, each in settings.items() if name not in decided}


def _settings(control: Control) -> dict[str, str]:
    return {**control.settings, **control.topic_settings, **control.features}


def _of_brokers(control: Control) -> dict[str, str]:
    """What the user would write into the file."""
    return {**control.settings, **control.topic_settings}


def _turned(control: str, kafka: Kafka) -> str:
    """The control that undoes another one."""
    kind, _, value = control.partition("=")
    return f"ibp={kafka.line}" if kind == "ibp" else f"{kind}={'on' if value == 'off' else 'off'}"


def _in_words(setting: str, wanted: str) -> str:
    if setting == ELR:
        return f"kafka-features.sh upgrade --feature {ELR}={wanted}"
    return f"{setting}={wanted}"
