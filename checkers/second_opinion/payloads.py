"""Whether records are what was sent."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, identity_of

TOLD = ("checksum", "key")


def corrupt_value(record: Record) -> Opinion:
    here, anywhere = grouped(record.final_sends, identity_of), record.sent
    findings: list[bool | None] = []
    for row in [*record.polls, *record["replica_logs"]]:
        is_poll = "action" in row
        if (
            not record.writes_to(row["topic"])
            if is_poll
            else row["problem"] is None and row["is_control"]
        ):
            continue
        if (row["value"] is None) if is_poll else (row["problem"] is not None):
            findings.append(True)
        elif row["value"] is not None:
            sends = here.get(identity_of(row)) or anywhere.get(row["value"], [])
            findings += _said(row, sends)
    return opinion_of(findings)


def _said(row: Row, sends: list[Row]) -> list[bool | None]:
    """Nothing of a copy that can be compared with none of the sends of its value."""
    said = []
    for send in sends:
        both = [name for name in TOLD if None not in {row[name], send[name]}]
        said.append(all(row[name] == send[name] for name in both) if both else None)
    if not any(each is not None for each in said):
        return []
    return [False if True in said else None if None in said else True]
