"""Logs that became shorter, by what brokers log and by what looks see."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from highwater.harness.tables import TABLES
from highwater.reports.contents import RunContents
from highwater.reports.cuts import cuts, is_about

PLACE = ("t", 0)
FETCHER = "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0]"
STATE = "TruncationState(offset=5, completed=true)"
DIR = "[Log partition=t-0, dir=/data]"


def _look(at_ms: int, broker: int, end: int | None, mark: int = 0) -> dict[str, Any]:
    told = {"log_end_offset": end, "high_watermark": None if end is None else mark}
    return {"at_ns": at_ms * 1_000_000, "broker": broker, "topic": "t", "partition": 0} | told


def _log(at_ms: int, broker: int, text: str) -> dict[str, Any]:
    return {"at_ns": at_ms * 1_000_000, "kind": "log", "broker": broker, "text": text}


def _contents(looks: list[dict[str, Any]], *events: dict[str, Any]) -> RunContents:
    schema = TABLES["replica_states"]
    rows = [{name: look.get(name) for name in schema.names} for look in looks]
    tables = {name: each.empty_table() for name, each in TABLES.items()}
    tables["replica_states"] = pa.Table.from_pylist(rows, schema=schema)
    return RunContents({}, list(events), [], tables, [])


@pytest.mark.parametrize(
    ("text", "to_offset", "reason"),
    [
        ("INFO Truncating log t-0 to offset 1. (kafka.log.Log)", 1, ""),
        (f"INFO {DIR} Truncating to offset 12 (kafka.log.Log)", 12, ""),
        ("Truncating partition t-0 to local high watermark 3 (kafka.server.X)", 3, ""),
        (
            f"{FETCHER} Truncating partition t-0 with {STATE} due to local high watermark 5 (k.X)",
            5,
            "local high watermark 5",
        ),
    ],
)
def test_a_line_of_any_release_says_where_a_log_was_cut(
    text: str, to_offset: int, reason: str
) -> None:
    contents = _contents([_look(10, 3, 20, 1), _look(90, 3, to_offset)], _log(50, 3, text))

    (cut,) = cuts(contents, PLACE)

    assert (cut.broker, cut.to_offset, cut.line, cut.reason) == (3, to_offset, 0, reason)
    assert cut.took(19)
    assert not cut.took(20)
    assert not cut.took(to_offset - 1)


@pytest.mark.parametrize(
    "text",
    [
        f"INFO {DIR} Truncating to 11 has no effect as the largest offset in the log is 10",
        "INFO Truncating log t-0 to offset 20.",
        "INFO Truncating log t-01 to offset 1.",
        "INFO Truncating log other-t-0 to offset 1.",
        "INFO [Broker id=3] Follower t-0 starts at leader epoch 2 from offset 1",
    ],
)
def test_what_shortens_no_log_of_the_partition_is_no_cut(text: str) -> None:
    contents = _contents([_look(10, 3, 20)], _log(50, 3, text))

    assert cuts(contents, PLACE) == []


def test_fetcher_and_log_that_tell_of_one_cut_are_one() -> None:
    lines = (
        _log(50, 3, "Truncating partition t-0 with TruncationState(offset=1) due to X"),
        _log(51, 3, f"INFO {DIR} Truncating to offset 1"),
    )

    (cut,) = cuts(_contents([_look(10, 3, 9)], *lines), PLACE)

    assert cut.reason == "X"


def test_a_fall_that_only_looks_saw_is_told_without_a_line() -> None:
    contents = _contents([_look(10, 2, 9, 4), _look(20, 2, None), _look(30, 2, 6)])

    (cut,) = cuts(contents, PLACE)

    assert (cut.broker, cut.at_ns, cut.to_offset, cut.line) == (2, 30_000_000, 6, None)
    assert cut.before is not None
    assert cut.before.log_end_offset == 9


def test_a_fall_that_a_line_tells_of_is_not_told_again() -> None:
    looks = [_look(10, 2, 9, 4), _look(20, 2, 9, 0), _look(60, 2, 6)]

    found = cuts(_contents(looks, _log(15, 2, f"INFO {DIR} Truncating to offset 6")), PLACE)

    assert [cut.line for cut in found] == [0]


def test_where_nobody_looked_a_broker_is_believed() -> None:
    (cut,) = cuts(_contents([], _log(50, 3, "Truncating log t-0 to offset 1.")), PLACE)

    assert cut.before is None
    assert cut.took(7)


def test_a_partition_is_named_in_the_old_form_as_well() -> None:
    assert is_about(("a.b", 1), "Partition [a.b,1] on broker 3: Shrinking ISR")
    assert not is_about(("a.b", 1), "Partition [axb,1] on broker 3: Shrinking ISR")


def test_a_line_about_a_topic_of_the_same_name_is_of_the_one_that_was_there_then() -> None:
    """The second one begins empty: nothing of the first one is cut off thereby."""
    second = [{**_look(at, 3, end), "topic": "t#2"} for at, end in ((90, 6), (120, 2))]
    looks = [_look(10, 3, 9), _look(30, 3, 7), _look(50, 3, 7), *second]
    to = "INFO Truncating log t-0 to offset"
    lines = [_log(20, 3, f"{to} 7."), _log(60, 3, f"{to} 0."), _log(100, 3, f"{to} 2.")]

    told = {topic: cuts(_contents(looks, *lines), (topic, 0)) for topic in ("t", "t#2")}

    assert [each.to_offset for each in told["t"]] == [7]
    assert [(each.to_offset, each.line) for each in told["t#2"]] == [(2, 2)]
