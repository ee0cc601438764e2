"""Rows of a part of the history, made of what many calls to send have to tell.

A load makes hundreds of calls a second. A table for each of them would take longer than all else
that is done to record them: those of one client to one partition become one table.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from highwater.harness.model import Outcome
from highwater.harness.record.sends import Flags, Told
from highwater.harness.tables import history_table

OUTCOMES = tuple(Outcome)


@functools.cache
def _names() -> pa.Array:
    """Of outcomes. Arrow loads pandas for its first array, which takes seconds: not before."""
    return pa.array([outcome.value for outcome in OUTCOMES], type=pa.string())


def sent_tables(told: Sequence[Told], origin_ns: int) -> list[pa.Table]:
    """One for each client and partition, or topic if keys choose that, and for each transaction."""
    alike: dict[tuple[object, ...], list[Told]] = {}
    for each in told:
        if len(each):
            alike.setdefault(tuple(sorted(each.shared.items(), key=str)), []).append(each)
    return [_table(some, origin_ns) for some in alike.values()]


def _table(told: Sequence[Told], origin_ns: int) -> pa.Table:
    values = np.concatenate([each.values for each in told])
    offsets = np.concatenate([each.offsets for each in told])
    is_open = np.concatenate([each.is_open for each in told])
    invoked_ns = np.concatenate([each.invoked_ns for each in told])
    completed_ns = np.concatenate([each.completed_ns for each in told])
    columns = {
        "op": pa.array(2 * values),
        "value": pa.array(values),
        "offset": pa.array(offsets, mask=is_open | (offsets < 0)),
        "checksum": pa.array(np.concatenate([each.checksums for each in told])),
        "invoked_ns": pa.array(invoked_ns - origin_ns),
        "completed_ns": pa.array(completed_ns - origin_ns, mask=is_open),
        "intended_ns": pa.concat_arrays([_intended(each, origin_ns) for each in told]),
        "key": pa.array(np.concatenate([each.keys for each in told])),
        **_endings(told, is_open),
    }
    chosen = [each.partitions for each in told if each.partitions is not None]
    if chosen:  # then all of them have some, for nobody says a partition for them
        columns["partition"] = pa.array(np.concatenate(chosen), pa.int32())
    if any(each.made_of for each in told):
        inputs = [value for each in told for value in each.made_of or [None] * len(each)]
        columns["made_of"] = pa.array(inputs, pa.int64())
    return history_table(columns, told[0].shared, len(values))


def _intended(each: Told, origin_ns: int) -> pa.Array:
    if each.intended_ns is None:
        return pa.nulls(len(each), pa.int64())
    return pa.array(each.intended_ns - origin_ns)


def _endings(told: Sequence[Told], is_open: Flags) -> dict[str, pa.Array]:
    """The columns `outcome` and `error`; nearly always every row says ok."""
    codes = np.where(is_open, OUTCOMES.index(Outcome.INVOKED), OUTCOMES.index(Outcome.OK))
    errors = dict[int, str | None]()
    before = 0
    for each in told:
        for place, (outcome, error) in each.not_ok.items():
            codes[before + place], errors[before + place] = OUTCOMES.index(outcome), error
        before += len(each)
    named = pa.DictionaryArray.from_arrays(codes.astype(np.int8), _names()).cast(pa.string())
    if not errors:
        return {"outcome": named, "error": pa.nulls(len(codes), pa.string())}
    said = pa.array([errors.get(place) for place in range(len(codes))], type=pa.string())
    return {"outcome": named, "error": said}
