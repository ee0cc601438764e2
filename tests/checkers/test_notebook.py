"""pandas in, pandas out; a column that is wrong is named."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import highwater
from highwater.harness.errors import UsageError

pytestmark = pytest.mark.spark


def _history() -> pd.DataFrame:
    """Three records acknowledged, of which the middle one was not read."""
    sent = pd.DataFrame({"action": "send", "offset": [0, 1, 2], "value": [1, 2, 3], "acks": "all"})
    read = pd.DataFrame({"action": "poll", "offset": [0, 2], "value": [1, 3]})
    same: dict[str, Any] = {"client": "c", "outcome": "ok", "topic": "t", "partition": 0}
    return pd.concat([sent, read], ignore_index=True).assign(**same, invoked_ns=0, completed_ns=1)


def test_a_lost_record_is_a_row_of_witnesses() -> None:
    verdicts = highwater.judge(_history())

    lost = verdicts.loc["lost-write"]
    assert (lost["answer"], lost["considered"], lost["anomalies"]) == ("VIOLATED", 3, 1)
    assert lost["witnesses"][["offset", "value"]].to_numpy().tolist() == [[1, 2]]
    assert verdicts.loc["phantom-read", "answer"] == "HELD"
    assert verdicts.loc["replica-divergence", "answer"] == "UNKNOWN"


def test_claims_can_be_chosen_and_other_tables_given() -> None:
    looks = pd.DataFrame(
        {"at_ns": [0, 10**10], "broker": 1, "running": True, "registered": True, "answers": False}
    )

    verdicts = highwater.judge(_history(), claims=["stuck-broker"], liveness=looks)

    assert verdicts["anomalies"].to_dict() == {"stuck-broker": 1}


def test_times_may_be_timestamps() -> None:
    history = _history().assign(invoked_ns=pd.Timestamp("2026-01-01"))

    assert highwater.judge(history).loc["lost-write", "anomalies"] == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"topic": None}, "history: 5 nulls in topic, which may not be null"),
        ({"offset": "first"}, "history, column offset: expected int64"),
        ({"partition": 0.5}, "history, column partition: expected int32"),
    ],
)
def test_a_column_that_is_wrong_is_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        highwater.judge(_history().assign(**change))


def test_a_column_or_a_table_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="history has no column action"):
        highwater.judge(_history().drop(columns="action"))
    with pytest.raises(UsageError, match=r"no table logs; there are history"):
        highwater.judge(_history(), logs=_history())


def test_what_run_json_says_can_be_told() -> None:
    """What a compacted topic lacks may be compacted away, and nothing else tells that it is."""
    compacted = {"topics": {"t": {"cleanup.policy": "compact"}}}

    verdicts = highwater.judge(_history(), claims=["lost-write"], run=compacted)
    other = highwater.judge(_history(), claims=["lost-write"], run={"topics": {}, "schema": 99})

    assert verdicts["answer"].to_dict() == {"lost-write": "UNKNOWN"}
    assert verdicts.loc["lost-write", "reason"] == "1 undecided, t-0: the topic is compacted"
    assert other["answer"].to_dict() == {"lost-write": "VIOLATED"}


@pytest.mark.parametrize(
    ("run", "named"),
    [
        ("compact", "run: expected fields of run.json"),
        ({"topics": {1j}}, "run: expected what JSON"),
    ],
)
def test_what_run_json_cannot_say_is_refused(run: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        highwater.judge(_history(), run=run)
