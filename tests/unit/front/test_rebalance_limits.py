"""Limits on how long partitions of groups have no owner, and on how far groups lag behind."""

from __future__ import annotations

from typing import Any

from highwater.limits import kept


def test_a_rebalance_that_took_too_long_is_told_and_one_without_an_end_is_not_known() -> None:
    known = {"group": "orders-b", "client": "b-1", "how": "killed", "from_ns": 1_500_000_000}
    ended, endless = {**known, "rebalance_ms": 700.0}, {**known, "rebalance_ms": None}

    fine = kept({"rebalance_ms": 700}, [], [], [ended])
    late = kept({"rebalance_ms": 500}, [], [], [ended, endless])
    open_yet = kept({"rebalance_ms": 900}, [], [], [ended, endless])
    none = kept({"rebalance_ms": 900}, [], [])

    whose = "rebalance_ms of orders-b at 1.5 s (b-1 killed): expected at most"
    assert (fine.exceeded, fine.unmeasured) == ([], [])
    assert late.exceeded == [f"{whose} 500 ms, saw 700 ms; see rebalances.parquet"]
    assert open_yet.unmeasured == [f"{whose} 900 ms, saw none, to the end; see rebalances.parquet"]
    assert "no partition of a group lost its owner" in none.unmeasured[0]


def lag(most: int | None, partition: int | None = None, **told: Any) -> dict[str, Any]:
    known = {"group": "b", "topic": "orders", "partition": partition, "second": None}
    return {**known, "lag_records": most, **told}


def test_a_lag_is_that_of_all_partitions_together() -> None:
    rows = [lag(1_500), lag(900, 0), lag(800, 1), lag(1_500, second=3), lag(40, topic="bills")]

    fine = kept({"lag_records": 1_500}, [], [], [], rows)
    far = kept({"lag_records": 1_000}, [], [], [], [*rows, lag(1_200, group="c")])

    assert (fine.exceeded, fine.unmeasured) == ([], [])
    (told,) = far.exceeded
    assert told == (
        "lag_records of b on orders: expected at most 1,000 records, saw 1,500 records, and 1 more "
        "above it; see lags.parquet"
    )


def test_a_lag_of_which_nobody_knows_was_not_kept() -> None:
    unknown = kept({"lag_records": 9}, [], [], [], [lag(5), lag(5, 0), lag(None, 1)])
    none = kept({"lag_records": 9}, [], [])

    why = "no evidence of what it had committed, or of where the log ended"
    assert unknown.unmeasured == [
        f"lag_records of b on orders-1: expected at most 9 records, saw {why}; see lags.parquet"
    ]
    why = "there is no group that read something while it was to go on"
    assert none.unmeasured == [f"lag_records: nothing was measured: {why}"]
