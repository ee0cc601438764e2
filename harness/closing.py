"""The end of a play: every topic settles, is read, and what replicas hold is kept, with the files.

See `harness.evidence`.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from highwater.harness import evidence
from highwater.harness.endings import end_all
from highwater.harness.log_dirs import replica_dir
from highwater.harness.play import Play

EPOCHS = "leader-epoch-checkpoint"
CHECKPOINTS = (
    "replication-offset-checkpoint",
    "recovery-point-offset-checkpoint",
    "log-start-offset-checkpoint",
    "meta.properties",
)


def settle(play: Play) -> None:
    """Wait until the replicas agree; raises DeadlineError with what each of them has instead."""
    end_all([partial(evidence.settle, play.scene, topic) for topic in play.topics])


def read(play: Play) -> None:
    """Read all topics to their ends; raises DeadlineError when that proves nothing.

    What applications made is asked for when no transaction is open any more.
    """
    end_all([partial(evidence.read, play.scene, topic) for topic in play.topics])
    end_all([contract.record for contract in play.contracts])


def collect(play: Play, *, settled: bool) -> None:
    """Record what every replica holds; see `evidence.keep`."""
    evidence.keep(play.scene, play.topics, settled=settled)


def keep_files(play: Play, node: int, log_start_byte: int) -> None:
    """Copy a node's configuration, its log since the play began, and its checkpoints."""
    kept = play.record.path / "brokers" / str(node)
    kept.mkdir(parents=True, exist_ok=True)
    directory = play.cluster.files.log_dir(node)
    logs = [replica_dir(play.cluster, node, partition.where) for partition in play.partitions]
    end_all(
        [
            partial(shutil.copy, play.cluster.files.properties(node), kept / "server.properties"),
            *(partial(_copy_if_there, directory / name, kept / name) for name in CHECKPOINTS),
            *(partial(_copy_if_there, log / EPOCHS, kept / log.name / EPOCHS) for log in logs),
            partial(_keep_log, play.cluster.files.server_log(node), kept, log_start_byte),
        ]
    )


def _keep_log(log: Path, kept: Path, start_byte: int) -> None:
    with log.open("rb") as lines:
        lines.seek(start_byte)
        (kept / "server.log").write_bytes(lines.read())


def _copy_if_there(source: Path, target: Path) -> None:
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
