"""What leader epochs replicas' logs have."""

from __future__ import annotations

from highwater.checkers.second_opinion.record import (
    Opinion,
    Place,
    Record,
    Row,
    grouped,
    opinion_of,
    place,
)


def leader_epoch_order(record: Record) -> Opinion:
    findings = []
    for log in _logs(record).values():
        before = -1
        batches = grouped(log, lambda row: (row["segment"], row["position"]))
        for _, batch in sorted(batches.items()):
            epoch = max(_epoch(row) for row in batch)
            if epoch >= 0:
                findings.append(epoch < before)
                before = epoch
    return opinion_of(findings)


def _epoch(row: Row) -> int:
    """Below -1 where there is none."""
    return -2 if row["leader_epoch"] is None else int(row["leader_epoch"])


def _logs(record: Record) -> dict[tuple[Place, int], list[Row]]:
    """Of each replica what is not damaged."""
    return grouped((row for row in record["replica_logs"] if row["problem"] is None), _replica)


def _replica(row: Row) -> tuple[Place, int]:
    return place(row), row["broker"]
