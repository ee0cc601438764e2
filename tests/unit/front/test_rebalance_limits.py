"""Limits on how long partitions of groups have no owner."""

from __future__ import annotations

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
