"""What leader epochs replicas' logs have, and their checkpoints."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Place, Row, batches, grouped, lies, place


def leader_epoch_order(record: Record) -> Opinion:
    findings: list[bool | None] = []
    for log in _logs(record).values():
        before = -1
        for batch in batches(log):
            epoch = _epoch(batch[0])
            if epoch >= 0:
                falls = epoch < before
                findings.append(None if falls and record.is_unordered(batch[0]) else falls)
                before = epoch
    return opinion_of(findings)


def epoch_checkpoint(record: Record) -> Opinion:
    entries = grouped(record["epoch_checkpoints"], _replica)
    ends = grouped(record["replica_ends"], _replica)
    findings: list[bool | None] = []
    for replica, log in _logs(record).items():
        start = ends[replica][0]["log_start_offset"] if replica in ends else None
        is_mixed = any(row["leader_epoch"] is None for row in log)
        run = None
        for row in sorted(log, key=lies):
            finding, kind = None, None
            is_asked = _epoch(row) >= 0 and row["offset"] >= (start or 0)
            if is_asked and replica in entries:
                given = _given(entries[replica], row["offset"])
                if given is not None or (start is not None and not is_mixed):
                    kind = (row["segment"], _epoch(row), given) if given != _epoch(row) else None
                    finding = kind is not None and kind != run
            if is_asked:
                findings.append(finding)
            run = kind
    return opinion_of(findings)


def _given(entries: list[Row], offset: int) -> int | None:
    """The epoch of the entry that counts for an offset."""
    below = [entry for entry in entries if entry["start_offset"] <= offset]
    last = max(
        below, key=lambda entry: (entry["start_offset"], entry["leader_epoch"]), default=None
    )
    return None if last is None else int(last["leader_epoch"])


def _epoch(row: Row) -> int:
    """Below -1 where there is none."""
    return -2 if row["leader_epoch"] is None else int(row["leader_epoch"])


def _logs(record: Record) -> dict[tuple[Place, int], list[Row]]:
    """Of each replica what is not damaged."""
    return grouped((row for row in record["replica_logs"] if row["problem"] is None), _replica)


def _replica(row: Row) -> tuple[Place, int]:
    return place(row), row["broker"]
