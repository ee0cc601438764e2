"""Writes run directories of the KIP-101 loss with the real recorder, for the report to read.

Leader 1, heir 2, laggard 3. One base record and ten more are acknowledged by all; the heir and
the laggard have not heard of the new high watermark when 1 is killed; 2 leads, 3 truncates to 1;
2 is killed, 3 leads, and everyone else follows it down to a single record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater.harness.model import Answer, TopicPartition, Verdict
from highwater.harness.record.writer import RunRecord, write_verdicts

PARTITION = TopicPartition("t", 0)
VALUES = range(11)
SCENARIO = "kip101-loss-strict"
PLACE = {"topic": "t", "partition": 0}
Moment = tuple[int, str, str, dict[str, Any]]  # milliseconds, kind, text, more
HOLD, KILL_1, KILL_2 = (
    {"fault": fault, "id": number}
    for number, fault in enumerate(("Hold(1->3)", "Kill(broker=1)", "Kill(broker=2)"), start=1)
)
OPENED, CLOSED = {"phase": "opened"}, {"phase": "closed"}
ISR = {1: "1,2,3", 2: "2,3", 3: "3"}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One run to write; `loses` is what a version before 0.11 does."""

    kafka: str = "0.10.2.2"
    control: str | None = None
    scenario: str = SCENARIO
    number: int = 1
    loses: bool = True
    killed: bool = False
    reason: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    title: str = "Acked by three replicas of three, lost in two clean elections."

    @property
    def path(self) -> str:
        column = f"{self.kafka}+{self.control}" if self.control else self.kafka
        return f"runs/{self.scenario}/{column}/{self.number}"

    @property
    def identity(self) -> dict[str, Any]:
        return {
            "tool": "highwater 0.1.0",
            "scenario": self.scenario,
            "title": self.title,
            "story": f"{self.title}\n\nEvery election is clean:\nthe elected replica is in the "
            "ISR.\n\nThe laggard has the records and does not know it.",
            "source": "KIP-101, scenario 1",
            "kafka": self.kafka,
            "mode": "zookeeper",
            "backend": "process",
            "control": self.control,
            "settings": {"min.insync.replicas": "2", "replica.lag.time.max.ms": "60000"}
            | dict(self.settings),
            "topic_settings": {"unclean.leader.election.enable": "false"},
            "claims": ["lost-write"],
            "tolerates": {"committed-truncation": "a lost record was once committed"},
            "expected": "reproduced" if self.loses else "clean",
            "java": "17.0.15",
            "jars": {"kafka_2.12-0.10.2.2.jar": "sha256:9f1c", "jaxb-api-2.3.0.jar": "patched in"},
        }


def cell(*trials: Trial, expected: str | None = None) -> dict[str, Any]:
    """The cell of compare.json that these trials would give."""
    first = trials[0]
    inconclusive = sum(trial.killed or trial.reason is not None for trial in trials)
    conclusive = len(trials) - inconclusive
    reproduced = conclusive if first.loses else 0
    wanted = expected or ("reproduced" if first.loses else "clean")
    seen = {"reproduced": reproduced, "clean": conclusive - reproduced}[wanted]
    return {
        "scenario": first.scenario,
        "kafka": first.kafka,
        "control": first.control,
        "backend": "process",
        "trials": len(trials),
        "reproduced": reproduced,
        "clean": conclusive - reproduced,
        "inconclusive": inconclusive,
        "expected": wanted,
        "as_expected": conclusive > 0 and seen == conclusive,
        "acked": 11 * conclusive,
        "anomalies": {"lost-write": 10 * reproduced} if reproduced else {},
        "seconds": [11.25] * len(trials),
        "runs": [trial.path for trial in trials],
    }


def write(root: Path, trial: Trial) -> Path:
    """The run directory of one trial, below `root`."""
    path = root / trial.path
    with RunRecord(path, trial.identity) as record:
        for at_ms, kind, text, data in _events(trial):
            record.event_at(at_ms * 1_000_000, kind, text, data)
        _history(record, trial)
        if trial.killed:
            return path
        _replicas(record, trial)
        record.end({"complete": not trial.reason, "reason": trial.reason, "seconds": 11.25})
    for broker in (1, 2, 3):
        (path / "brokers" / str(broker)).mkdir(parents=True)
        (path / "brokers" / str(broker) / "server.log").write_text("a line\n", encoding="utf-8")
    if not trial.reason:
        write_verdicts(path, verdicts(trial))
    return path


def verdicts(trial: Trial) -> list[Verdict]:
    witnesses: list[dict[str, Any]] = [
        PLACE
        | {"value": value, "offset": value, "acks": "all", "still_on": [], "replaced_by": None}
        for value in VALUES[1:]
    ]
    lost = Verdict(
        claim="lost-write",
        answer=Answer.VIOLATED if trial.loses else Answer.HELD,
        considered=11,
        anomalies=10 if trial.loses else 0,
        witnesses=witnesses if trial.loses else (),
    )
    unknown = Verdict(
        claim="aborted-read",
        answer=Answer.UNKNOWN,
        considered=0,
        reason="no transaction was aborted",
    )
    return [Verdict(claim="replica-divergence", answer=Answer.HELD, considered=3), unknown, lost]


def _events(trial: Trial) -> list[Moment]:
    played = [*_start(), *_first_half()]
    if trial.killed:
        return played
    if trial.reason:
        observed = {"met": False, "observed": {"isr": [2]}}
        return [*played, (7500, "precondition", trial.reason, observed)]
    return [*played, *_second_half(1 if trial.loses else 11)]


def _start() -> list[Moment]:
    return [
        (at, "broker", f"broker {broker} {event}", {"broker": broker, "event": event})
        for at, event in ((40, "started"), (3900, "serving"))
        for broker in (1, 2, 3)
    ]


def _first_half() -> list[Moment]:
    link = {"leader": 1, "follower": 3, "api": 1, "stage": "response"}
    standing = {
        "event": "standing",
        "partitions": [PLACE | {"fetch_offset": 11, "high_watermark": 11, "record_bytes": 0}],
    }
    return [
        (4800, "step", "Let every replica catch up with one base record", {}),
        (4900, "send", "1 record by main", {"client": "main", "acks": "all", "acked": 1}),
        (5100, "precondition", "LEO = HW = 1 on every replica", {"met": True}),
        (5110, "metadata", "leader 1", {"leader": 1, "leader_epoch": 0, "isr": [1, 2, 3]}),
        (5200, "step", "Withhold the new high watermark from the followers", {}),
        (5205, "fault", "answers to 3 are held", HOLD | OPENED),
        (5210, "gate", "armed: the answer after the records", link | {"event": "armed"}),
        (5300, "send", "10 records by main", {"client": "main", "acks": "all", "acked": 10}),
        (5340, "gate", "FETCH answer to 3 stands", link | standing),
        (
            5400,
            "precondition",
            "all hold the records, the followers do not know that they are committed",
            {"met": True, "observed": {"LEO": [11, 11, 11], "HW": [11, 1, 1], "isr": [1, 2, 3]}},
        ),
        (5410, "step", "Kill the leader", {}),
        (5415, "fault", "broker 1 is killed", KILL_1 | OPENED),
        (5430, "broker", "broker 1 killed", {"broker": 1, "event": "killed"}),
        (5431, "gate", "the held answer is dropped", link | {"event": "dropped"}),
        (7400, "metadata", "leader 2", {"leader": 2, "leader_epoch": 1, "isr": [2, 3]}),
        (7405, "note", "broker 2 leads by a clean election", {}),
    ]


def _second_half(ends: int) -> list[Moment]:
    truncation = f"Truncating log t-0 to offset {ends}."
    return [
        (7450, "log", truncation, {"broker": 3}),
        (7500, "step", "Kill the heir before the laggard has fetched again", {}),
        (7505, "fault", "broker 2 is killed", KILL_2 | OPENED),
        (7520, "broker", "broker 2 killed", {"broker": 2, "event": "killed"}),
        (9400, "metadata", "leader 3", {"leader": 3, "leader_epoch": 2, "isr": [3]}),
        (9410, "step", "Heal, and wait until the replicas agree", {}),
        (9415, "fault", "answers flow", HOLD | CLOSED),
        (9420, "broker", "broker 1 started", {"broker": 1, "event": "started"}),
        (9425, "broker", "broker 2 started", {"broker": 2, "event": "started"}),
        (10900, "broker", "broker 1 serving", {"broker": 1, "event": "serving"}),
        (10910, "fault", "broker 1 is back", KILL_1 | CLOSED),
        (10940, "log", truncation, {"broker": 1}),
        (10950, "broker", "broker 2 serving", {"broker": 2, "event": "serving"}),
        (10960, "fault", "broker 2 is back", KILL_2 | CLOSED),
        (10990, "log", truncation, {"broker": 2}),
        (11200, "read", f"read to {ends}", {"position": ends}),
    ]


def _history(record: RunRecord, trial: Trial) -> None:
    sends = record.history.sends("main", PARTITION, "all", VALUES)
    sends.invoke(VALUES, [1000 + value for value in VALUES])
    for value in VALUES:
        if not trial.killed or value < 5:
            sends.acknowledged(value, value)
    if trial.killed:
        return
    kept = VALUES[:1] if trial.loses else VALUES
    for value in kept:
        record.history.saw("reader", PARTITION, value, (value, 1000 + value))
    record.history.reached_end("reader", PARTITION, len(kept))


def _replicas(record: RunRecord, trial: Trial) -> None:
    kept = VALUES[:1] if trial.loses else VALUES
    end = len(kept)
    record.table("replica_states", _states(end))
    rows = [
        PLACE
        | {"broker": broker, "offset": value, "value": value, "digest": 77 + value}
        | {"checksum": 1000 + value, "is_control": False, "magic": 1}
        | {"segment": "00000000000000000000.log", "position": 61 * value}
        for broker in (1, 2, 3)
        for value in kept
    ]
    record.table("replica_logs", rows)
    ends = [
        PLACE
        | {"broker": broker, "log_start_offset": 0, "log_end_offset": end, "high_watermark": end}
        | {"is_leader": broker == 3, "in_isr": True, "leader_epoch": 2, "settled": True}
        for broker in (1, 2, 3)
    ]
    record.table("replica_ends", ends)


def _states(end: int) -> list[dict[str, Any]]:
    """What probing every replica showed: (LEO, HW) of brokers 1, 2, 3, None while dead."""
    looks: list[tuple[int, int, tuple[tuple[int, int] | None, ...]]] = [
        (4850, 1, ((0, 0), (0, 0), (0, 0))),
        (5000, 1, ((1, 1), (1, 1), (1, 1))),
        (5200, 1, ((1, 1), (1, 1), (1, 1))),
        (5320, 1, ((11, 1), (11, 1), (11, 1))),
        (5390, 1, ((11, 11), (11, 1), (11, 1))),
        (5425, 1, ((11, 11), (11, 1), (11, 1))),
        (5500, 1, (None, (11, 1), (11, 1))),
        (7410, 2, (None, (11, 1), (11, 1))),
        (7460, 2, (None, (11, 1), (end, 1))),
        (7515, 2, (None, (11, 1), (end, 1))),
        (7600, 2, (None, None, (end, 1))),
        (9405, 3, (None, None, (end, 1))),
        (10945, 3, ((end, end), None, (end, end))),
        (11000, 3, ((end, end), (end, end), (end, end))),
        (11190, 3, ((end, end), (end, end), (end, end))),
    ]
    return [
        PLACE
        | {"at_ns": at_ms * 1_000_000, "broker": broker, "leader": leader}
        | {"leader_epoch": leader - 1, "isr": ISR[leader]}
        | dict(zip(("log_end_offset", "high_watermark"), look or (None, None), strict=True))
        for at_ms, leader, replicas in looks
        for broker, look in zip((1, 2, 3), replicas, strict=True)
    ]
