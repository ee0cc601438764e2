"""Whether records are what was sent."""

from __future__ import annotations

from collections.abc import Callable

from highwater.checkers.second_opinion.record import Opinion, Record, opinion_of
from highwater.checkers.second_opinion.rows import Row, grouped, identity_of


def corrupt_value(record: Record) -> Opinion:
    written = {row["topic"] for row in record.sends}
    differs_in = [_differs_in(record, name) for name in ("checksum", "key")]
    polled = [row for row in record.polls if row["topic"] in written]
    kept = [
        row for row in record["replica_logs"] if row["problem"] is not None or not row["is_control"]
    ]

    def differs(row: Row) -> bool | None:
        said = {differs(row) for differs in differs_in}
        return True if True in said else None if None in said else False

    return opinion_of(
        [
            *(True if row["value"] is None else differs(row) for row in polled),
            *(True if row["problem"] is not None else differs(row) for row in kept),
        ]
    )


def _differs_in(record: Record, name: str) -> Callable[[Row], bool | None]:
    """Says whether a copy has something else in this column than its value was sent with."""
    sends = [row for row in record.sends if None not in {row[name], row["value"]}]
    here = grouped(sends, identity_of)
    anywhere = grouped(sends, lambda row: row["value"])

    def differs(row: Row) -> bool | None:
        if None in {row["value"], row[name]}:
            return False
        sent = {one[name] for one in here.get(identity_of(row), anywhere.get(row["value"], []))}
        if not sent or row[name] in {min(sent), max(sent)}:
            return False
        return True if len(sent) == 1 else None

    return differs
