"""Highwater: see, on real brokers, when Apache Kafka loses or forks data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def judge(
    history: pd.DataFrame, *, claims: Sequence[str] | None = None, **tables: pd.DataFrame
) -> pd.DataFrame:
    """Judge what clients saw, and perhaps what replicas held: pandas in, pandas out.

    `history` and the other `tables` (replica_logs=..., replica_ends=...) have the columns of
    docs/ledger.md; those that may be null may be missing, and so may `op`. The answer has a row for
    each claim, with its answer, how much was considered, how many anomalies there are, the reason
    and, as a frame, the first witnesses. Raises highwater.harness.errors.UsageError naming a column
    that is missing or wrong. The first call starts Spark, which takes seconds.
    """
    from highwater.notebook import judge_frames  # noqa: PLC0415 - loads Spark's client

    return judge_frames({"history": history, **tables}, claims)
