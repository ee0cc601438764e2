"""Plays one scenario once, and leaves a run directory behind, whatever happens.

A trial's life is a list of steps: stage, play, heal, settle, read, collect, end. Each is taken
whatever has become of the others, and what goes wrong in any of them is on the record.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from highwater.harness import closing
from highwater.harness.broker_logs import telling_lines
from highwater.harness.cluster import FILES, Cluster
from highwater.harness.controls import find_control
from highwater.harness.endings import chain, end_all, gravest
from highwater.harness.errors import ENVIRONMENT, InfrastructureError, Interrupted, in_words
from highwater.harness.foreign.programs import OURS
from highwater.harness.hearing import heard
from highwater.harness.model import Scenario
from highwater.harness.patience import exposed, shielded
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord


@dataclass(frozen=True, slots=True)
class Played:
    """How a trial went, before anyone has judged it."""

    path: Path
    complete: bool
    reason: str  # why it is not complete
    seconds: float
    cluster_usable: bool  # every broker serves again


def played_before(path: Path) -> Played | None:
    """How the play recorded in `path` went; None when there is none, or it was cut short.

    Whoever interrupts one, to go on later, has it played anew. Raises RecordError when what is
    there cannot be read.
    """
    if not (path / "run.json").exists():
        return None
    told = open_run(path).identity["played"]
    reason = "" if told is None else told["reason"] or ""
    if told is None or _reason(Interrupted()) in reason:
        return None
    complete = bool(told["complete"])
    return Played(path, complete, reason, float(told["seconds"]), cluster_usable=False)


def not_played(path: Path, identity: Mapping[str, Any], reason: str) -> Played:
    """Record a trial that could not even begin, and why."""
    with RunRecord(path, identity) as record:
        record.event("note", f"inconclusive: {reason}")
        seconds = round(record.now_ns() / 1e9, 3)
        record.end({"complete": False, "reason": reason, "seconds": seconds})
    return Played(path, complete=False, reason=reason, seconds=seconds, cluster_usable=False)


def play_once(
    scenario: Scenario, cluster: Cluster, path: Path, identity: Mapping[str, Any]
) -> Played:
    """Play a scenario on a running cluster into the run directory `path`.

    `identity` goes into run.json; its "topic" is the topic to create, new on this cluster, and its
    "control", if it has one, is obeyed as far as it concerns the topic and the faults.
    """
    control = find_control(identity.get("control"))
    settings = {**scenario.topic_settings, **control.topic_settings}
    with staged(cluster, path, identity) as stage:
        stage.play.scene.without = control.without
        stage.play.scene.client = control.client or OURS
        topic = stage.play.topic(replicas=scenario.replicas, settings=settings)
        scenario.play(stage.play, topic[0])
    if stage.played is None:
        raise InfrastructureError(f"the play of {scenario.name} has no ending")
    return stage.played


@contextmanager
def staged(cluster: Cluster, path: Path, identity: Mapping[str, Any]) -> Generator[Stage]:
    """A play with its record open; leaving it heals, settles, reads to the end and keeps logs.

    A precondition that was not met, and whatever else is of ENVIRONMENT, ends the play as
    inconclusive. Anything else passes through, after healing and with the record written.
    """
    log_starts = _log_sizes(cluster)
    with RunRecord(path, identity) as record, heard(cluster, record):
        stage = Stage(Play(cluster, record, identity["topic"]), log_starts)
        try:
            stage.begin()
            yield stage
        except BaseException as error:  # noqa: BLE001 - raised at the end unless it is a doubt
            stage.went_wrong("", error)
        finally:
            stage.end()


@dataclass(slots=True)
class Stage:
    """A play under way; `played` is there when it is over."""

    play: Play
    log_starts: Mapping[int, int]  # how long each node's log was before, in bytes
    reason: str = ""  # why it proves nothing; the first one counts
    played: Played | None = None
    _lifetime: ExitStack = field(default_factory=ExitStack)  # of the play
    _errors: list[BaseException] = field(default_factory=list)
    _is_healed: bool = False
    _is_settled: bool = False
    _is_usable: bool = False  # the cluster: for another play

    def begin(self) -> None:
        self._lifetime.enter_context(self.play)

    def went_wrong(
        self, step: str, error: BaseException, handled: BaseException | None = None
    ) -> None:
        """Keep an error, and what it hides; the first one of all is why the play proves nothing."""
        for each in chain(error, handled):
            if not any(each is other for other in self._errors):
                self._errors.append(each)
                self._doubt(f"{step}: {_reason(each)}" if step else _reason(each))

    def end(self) -> None:
        """Take every step that is left; evidence is not waited for once it cannot be judged.

        Raises the gravest of what is not of ENVIRONMENT: an interruption, a bug.
        """
        evidence = (("", self._settle), ("", self._read), ("collecting", self._collect))
        with shielded() as shield:
            self._take("healing", self._heal)
            for name, step in evidence:
                if not self._is_over:
                    self._take(name, partial(_interruptibly, step))
            self._take("sampling", self._lifetime.close)
            self._take("reading brokers' logs", self._tell_logs)
            self._take("keeping brokers' files", self._keep_files)
            # Of a cluster of ours that is not well no more is asked, for it is thrown away.
            if FILES not in self.play.cluster.has or (self._is_healed and self._is_settled):
                self._take("deleting the topics", self._delete_topics)
            self._take("ending the record", self._say_how_it_went)
        self.play.scene.retire()
        if shield.interrupted:
            self._errors.append(Interrupted())
        if self._is_over:
            raise gravest(self._errors, sys.exception())

    @property
    def _is_over(self) -> bool:
        """Nothing of this trial will be judged, and no other trial may follow."""
        return any(not isinstance(error, ENVIRONMENT) for error in self._errors)

    def _take(self, name: str, step: Callable[[], None]) -> None:
        handled = sys.exception()
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - `end` raises it unless it is a doubt
            self.went_wrong(name, error, handled)

    def _doubt(self, reason: str) -> None:
        text = f"also: {reason}" if self.reason else f"inconclusive: {reason}"
        self.reason = self.reason or reason
        if self.played is not None:
            self.played = replace(self.played, complete=False, reason=self.reason)
        try:
            self.play.record.event("note", text)
        except InfrastructureError as error:  # the record cannot be written
            self._errors.append(error)

    def _heal(self) -> None:
        if self._is_over:
            self.play.abandon()
            return
        self.play.step("healing everything that is still open")
        self.play.heal()
        self._is_healed = True

    def _settle(self) -> None:
        closing.settle(self.play)
        self._is_settled = True

    def _read(self) -> None:
        was_settled, self._is_settled = self._is_settled, False
        closing.read(self.play)
        self._is_settled = was_settled

    def _collect(self) -> None:
        closing.collect(self.play, settled=self._is_settled)

    def _tell_logs(self) -> None:
        end_all([partial(_tell_log, self.play, *each) for each in self._log_starts()])

    def _keep_files(self) -> None:
        end_all([partial(closing.keep_files, self.play, *each) for each in self._log_starts()])

    def _log_starts(self) -> Sequence[tuple[int, int]]:
        """Of the nodes that there were, and of those that have joined since."""
        return [*self.log_starts.items(), *((each, 0) for each in self.play.joined)]

    def _delete_topics(self) -> None:
        """Everything is on the record: the next play shall find idle links."""
        left = 0
        for topic in self.play.topics:
            try:
                self.play.cluster.metadata.delete_topic(topic.name)
            except ENVIRONMENT as error:
                left += 1
                self.play.note(f"a topic was not deleted: {in_words(error)}")
        play, is_well = self.play, self._is_healed and self._is_settled and not left
        self._is_usable = is_well and not (self._is_over or play.unhealed or play.has_other_brokers)

    def _say_how_it_went(self) -> None:
        record, complete = self.play.record, not self.reason
        seconds = round(record.now_ns() / 1e9, 3)
        self.played = Played(record.path, complete, self.reason, seconds, self._is_usable)
        record.end({"complete": complete, "reason": self.reason or None, "seconds": seconds})


def _interruptibly(step: Callable[[], None]) -> None:
    with exposed():
        step()


def _reason(error: BaseException) -> str:
    if isinstance(error, ENVIRONMENT):
        return in_words(error)
    return f"interrupted by {in_words(error)}"


def _log_sizes(cluster: Cluster) -> dict[int, int]:
    """Of each node that has a log within reach, in bytes."""
    owners = cluster.files.owners if FILES in cluster.has else ()
    logs = {each: cluster.files.server_log(each) for each in owners}
    return {each: log.stat().st_size if log.exists() else 0 for each, log in logs.items()}


def _tell_log(play: Play, node: int, start_byte: int) -> None:
    offset_s = time.time() - play.record.now_ns() / 1e9
    log = play.cluster.files.server_log(node)
    for topic in play.topic_names:
        for line in telling_lines(log, start_byte, topic):
            at_ns = int((line.at_epoch_s - offset_s) * 1e9)
            play.record.event_at(at_ns, "log", line.text, {"broker": node})
