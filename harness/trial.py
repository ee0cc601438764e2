"""Plays one scenario once, and leaves a run directory behind, whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.broker_logs import telling_lines
from highwater.harness.closing import close, keep_broker_files
from highwater.harness.cluster import Cluster
from highwater.harness.controls import find_control
from highwater.harness.errors import HighwaterError, InfrastructureError
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.hub import Event
from highwater.harness.model import Scenario, TopicPartition
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Sampler

# Gate events that tell the story; the rest are connections coming and going.
TOLD_EVENTS = frozenset({"standing", "passed", "dropped", "armed", "seen", "cut", "delayed"})


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

    Raises RecordError when what is there cannot be read.
    """
    if not (path / "run.json").exists():
        return None
    told = open_run(path).identity["played"]
    if told is None:
        return None
    complete, reason = bool(told["complete"]), told["reason"] or ""
    return Played(path, complete, reason, float(told["seconds"]), cluster_usable=False)


@dataclass(slots=True)
class Stage:
    """A play under way; `played` is there when it is over."""

    play: Play
    reason: str = ""  # why it proves nothing; the first one counts
    played: Played | None = None

    def doubt(self, reason: str) -> None:
        if not self.reason:
            self.reason = reason
            self.play.record.event("note", f"inconclusive: {reason}")


def play_once(
    scenario: Scenario, cluster: Cluster, path: Path, identity: Mapping[str, Any]
) -> Played:
    """Play a scenario on a running cluster into the run directory `path`.

    `identity` goes into run.json; its "topic" is the topic to create, new on this cluster, and its
    "control", if it has one, is obeyed as far as it concerns the topic and the faults.
    """
    control = find_control(identity.get("control"))
    with staged(cluster, path, identity, scenario.replicas) as stage:
        stage.play.without = control.without
        stage.play.create({**scenario.topic_settings, **control.topic_settings})
        scenario.play(stage.play)
    if stage.played is None:
        raise InfrastructureError(f"the play of {scenario.name} has no ending")
    return stage.played


@contextmanager
def staged(
    cluster: Cluster, path: Path, identity: Mapping[str, Any], replicas: int
) -> Generator[Stage]:
    """A play with its record open; leaving it heals, settles, reads to the end and keeps logs.

    A precondition that was not met, or a world that did not cooperate, ends the play as incomplete.
    Anything else passes through, after healing and with the record written.
    """
    where = TopicPartition(identity["topic"])
    log_starts = {each: cluster.server_log(each).stat().st_size for each in cluster.nodes}
    with RunRecord(path, identity) as record, _heard(cluster, record):
        stage = Stage(Play(cluster, record, where, replicas))
        doubt = "the play ended before its final read"
        try:
            with Sampler(cluster, record, where, stage.play.replicas):
                yield from _performed(stage)
                doubt = close(stage.play)
        except HighwaterError as error:
            stage.doubt(str(error))
        finally:
            if doubt:
                stage.doubt(doubt)
            _tell_logs(stage.play, log_starts)
            keep_broker_files(stage.play, log_starts)
            seconds = round(record.now_ns() / 1e9, 3)
            reason = stage.reason
            record.end({"complete": not reason, "reason": reason or None, "seconds": seconds})
            stage.played = Played(path, not reason, reason, seconds, not doubt)
    if not doubt:  # everything is on the record: the next play shall find idle links
        cluster.metadata.delete_topic(where.topic)


def _performed(stage: Stage) -> Generator[Stage]:
    """Let the play happen, and heal."""
    try:
        yield stage
    except HighwaterError as error:
        stage.doubt(str(error))
    except BaseException as error:
        stage.doubt(f"interrupted by {type(error).__name__}")
        stage.play.abandon()
        raise
    stage.play.step("healing everything that is still open")
    stage.play.heal()


@contextmanager
def _heard(cluster: Cluster, record: RunRecord) -> Generator[None]:
    """What the gate and the brokers do goes into this record meanwhile."""
    before = cluster.on_gate_event, cluster.on_broker_event
    cluster.on_gate_event = _gate_recorder(record)
    cluster.on_broker_event = _broker_recorder(record)
    try:
        yield
    finally:
        cluster.on_gate_event, cluster.on_broker_event = before


def _gate_recorder(record: RunRecord) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        if event["event"] in TOLD_EVENTS:
            at_ns = int(event["at_ns"]) - record.origin_ns
            told = {key: value for key, value in event.items() if key not in {"at_ns", "seq"}}
            record.event_at(at_ns, "gate", _told(event), told)
            if event["event"] == "seen" and event["api"] == FETCH:
                _keep_fetches(record, at_ns, event)

    return hear


def _keep_fetches(record: RunRecord, at_ns: int, event: Event) -> None:
    for partition in event["partitions"]:
        record.fetch(
            {
                "at_ns": at_ns,
                "stage": event["stage"],
                "leader": event["leader"],
                "follower": event["follower"],
                "topic": partition["topic"],
                "partition": partition["partition"],
                "fetch_offset": partition["fetch_offset"],
                "high_watermark": partition.get("high_watermark"),
                "record_bytes": partition.get("record_bytes"),
            }
        )


def _broker_recorder(record: RunRecord) -> Callable[[int, str], None]:
    def hear(broker: int, event: str) -> None:
        record.event("broker", f"broker {broker} {event}", broker=broker, event=event)

    return hear


def _told(event: Event) -> str:
    asking = event.get("client_id") if event.get("follower") is None else event["follower"]
    who = f"{asking} -> {event.get('leader')}"
    return f"{event['event']}: {event.get('stage', '')} of link {who} ({event.get('rule', '')})"


def _tell_logs(play: Play, log_starts: Mapping[int, int]) -> None:
    offset_s = time.time() - play.record.now_ns() / 1e9
    for broker in play.cluster.nodes:
        log = play.cluster.server_log(broker)
        for line in telling_lines(log, log_starts[broker], str(play.where)):
            at_ns = int((line.at_epoch_s - offset_s) * 1e9)
            play.record.event_at(at_ns, "log", line.text, {"broker": broker})
