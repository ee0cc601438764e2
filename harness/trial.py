"""Plays one scenario once, and leaves a run directory behind, whatever happens."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.broker_logs import telling_lines
from highwater.harness.closing import close, keep_broker_files
from highwater.harness.cluster import Cluster
from highwater.harness.errors import HighwaterError
from highwater.harness.gate.hub import Event
from highwater.harness.model import Scenario, TopicPartition
from highwater.harness.play import Play
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


def play_once(
    scenario: Scenario, cluster: Cluster, path: Path, identity: Mapping[str, Any]
) -> Played:
    """Play a scenario on a running cluster into the run directory `path`.

    `identity` goes into run.json; its "topic" is the topic to create, new on this cluster.
    A precondition that was not met, or a world that did not cooperate, makes the trial incomplete;
    anything else passes through, after healing and with the record written.
    """
    started = time.monotonic()
    where = TopicPartition(identity["topic"])
    log_starts = {each: cluster.server_log(each).stat().st_size for each in cluster.brokers}
    with RunRecord(path, identity) as record:
        cluster.on_gate_event = _gate_recorder(record)
        play = Play(cluster, record, where, scenario.replicas)
        reason, usable = "", False
        try:
            with Sampler(cluster, record, where, play.replicas):
                reason = _play(scenario, play)
                settled = close(play)
            usable = settled
            if not reason and not settled:
                reason = "the replicas did not settle, so the final read proves nothing"
        except HighwaterError as error:
            reason = reason or str(error)
        finally:
            cluster.on_gate_event = lambda _event: None
            _tell_logs(play, log_starts)
            keep_broker_files(play, log_starts)
            seconds = round(time.monotonic() - started, 3)
            record.end({"complete": not reason, "reason": reason or None, "seconds": seconds})
    return Played(path, not reason, reason, seconds, usable)


def _play(scenario: Scenario, play: Play) -> str:
    """Play and heal; returns why the play is incomplete, or nothing."""
    reason = ""
    try:
        play.create(scenario.topic_settings)
        scenario.play(play)
    except HighwaterError as error:
        reason = str(error)
        play.record.event("note", f"inconclusive: {reason}")
    finally:
        play.step("healing everything that is still open")
        play.heal()
    return reason


def _gate_recorder(record: RunRecord) -> Any:
    def hear(event: Event) -> None:
        if event["event"] in TOLD_EVENTS:
            at_ns = int(event["at_ns"]) - record.origin_ns
            told = {key: value for key, value in event.items() if key not in {"at_ns", "seq"}}
            record.event_at(at_ns, "gate", _told(event), told)

    return hear


def _told(event: Event) -> str:
    who = f"{event.get('follower')} -> {event.get('leader')}"
    return f"{event['event']}: {event.get('stage', '')} of link {who} ({event.get('rule', '')})"


def _tell_logs(play: Play, log_starts: Mapping[int, int]) -> None:
    offset_s = time.time() - play.record.now_ns() / 1e9
    for broker in play.replicas:
        log = play.cluster.server_log(broker)
        for line in telling_lines(log, log_starts[broker], str(play.where)):
            at_ns = int((line.at_epoch_s - offset_s) * 1e9)
            play.record.event_at(at_ns, "log", line.text, {"broker": broker})
