"""Highwater: see, on real brokers, when Apache Kafka loses or forks data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from highwater.frames import Frames


def judge(
    history: pd.DataFrame,
    *,
    claims: Sequence[str] | None = None,
    run: Mapping[str, Any] | None = None,
    **tables: pd.DataFrame,
) -> pd.DataFrame:
    """Judge what clients saw, and perhaps what replicas held: pandas in, pandas out.

    `history` and the other `tables` (replica_logs=..., replica_ends=...) have the columns of
    docs/ledger.md; those that may be null may be missing, and so may `op`. `run` has what run.json
    says there, such as the settings of topics: one that is compacted lacks records by right. The
    answer has a row for each claim, with its answer, how much was considered, how many anomalies
    there are, the reason and, as a frame, the first witnesses. Raises
    highwater.harness.errors.UsageError naming a column that is missing or wrong. The first call
    starts Spark, which takes seconds.
    """
    from highwater.notebook import judge_frames  # noqa: PLC0415 - loads Spark's client

    return judge_frames({"history": history, **tables}, claims, run)


def read(place: str | Path) -> Frames:
    """What a recorded run showed, or each of a comparison or suite, as pandas frames.

    `verdicts`, `measures`, `recoveries`, `rebalances` and `lags` have a row for each of
    docs/ledger.md, with the run that it is of; a notebook shows what is violated and what clients
    achieved, and each of `charts` as the report draws it. Nothing is judged: what nobody has judged
    (`highwater check`) has no verdicts. Raises highwater.harness.errors.RecordError for what cannot
    be read.
    """
    from highwater.frames import read_frames  # noqa: PLC0415 - loads pandas and Arrow

    return read_frames(Path(place))
