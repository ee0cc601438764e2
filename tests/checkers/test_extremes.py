"""Any number is an identity, the last offset is one, and time may run below zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import Row, consumer, end, poll, replicas, send, stored
from tests.checkers.paths import differing

from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.model import Answer
from highwater.harness.record.reader import StoredRun

pytestmark = pytest.mark.spark

WriteRun = Callable[[Path, Sequence[Row]], StoredRun]

SMALLEST, GREATEST = -(2**63), 2**63 - 1
EXTREMES = [SMALLEST + at for at in range(5)] + [-1, 0, GREATEST - 1, GREATEST]


def _extreme(first: int, *, read: Sequence[int]) -> list[Row]:
    """Values and checksums from one end of all numbers to the other, at the last offsets."""
    sends = [send(value, first + at, checksum=value) for at, value in enumerate(EXTREMES)]
    polls = [poll(EXTREMES[at], first + at, checksum=EXTREMES[at]) for at in read]
    return [*sends, *polls, consumer()]


@pytest.mark.parametrize("first", [0, GREATEST - len(EXTREMES) + 1])
def test_any_number_is_a_value_and_any_offset_may_be_the_last(
    first: int, write_run: WriteRun, tmp_path: Path
) -> None:
    last = len(EXTREMES) - 1
    for lost in range(last):
        read = [at for at in range(last + 1) if at != lost]
        run = write_run(tmp_path / str(lost), _extreme(first, read=read))

        verdicts = {one.claim: one for one in judge([run])[run.path]}

        assert [w["value"] for w in verdicts["lost-write"].witnesses] == [EXTREMES[lost]]
        held = {claim for claim, one in verdicts.items() if one.answer is Answer.HELD}
        assert {"corrupt-value", "phantom-read", "duplicate", "poll-skip"} <= held
        assert disagreements(run, list(verdicts.values())) == []
    assert differing(tmp_path / str(lost) for lost in (0, last - 1)) == {}


def test_negative_checksums_and_digests_are_compared_like_all_others(
    write_run: WriteRun, tmp_path: Path
) -> None:
    rows = [
        send(1, 0, checksum=-5),
        poll(1, 0, checksum=SMALLEST),
        stored(1, 0, 1, checksum=-5, digest=SMALLEST),
        stored(2, 0, 1, checksum=-5, digest=SMALLEST + 1),
        *replicas(1),
    ]
    run = write_run(tmp_path / "run", rows)

    verdicts = {one.claim: one for one in judge([run])[run.path]}

    (corrupt,) = verdicts["corrupt-value"].witnesses
    assert (corrupt["checksum"], corrupt["sent_checksum"]) == (SMALLEST, -5)
    assert verdicts["replica-divergence"].answer is Answer.VIOLATED
    assert disagreements(run, list(verdicts.values())) == []


def test_a_value_at_the_very_bottom_is_told_as_it_is_recorded_on_every_replica(
    write_run: WriteRun, tmp_path: Path
) -> None:
    copies = {1: SMALLEST, 2: SMALLEST + 1}
    logs = [stored(broker, 0, value, checksum=0) for broker, value in copies.items()]
    rows = [*logs, *replicas(1)]
    run = write_run(tmp_path / "run", rows)

    (verdict,) = judge([run], ["replica-divergence"])[run.path]

    (witness,) = verdict.witnesses
    assert f"1: value {SMALLEST} (epoch 0)" in witness["held"]
    assert f"2: value {SMALLEST + 1} (epoch 0)" in witness["held"]


def test_times_before_zero_are_judged_alike_by_both_paths(
    write_run: WriteRun, tmp_path: Path
) -> None:
    hour: Any = 3600 * 10**9
    rows = [
        send(1, 1, at=(-3 * hour, -2 * hour)),
        send(2, 0, at=(-hour, -hour + 1)),
        poll(2, 0, invoked_ns=-hour + 2, completed_ns=-hour + 3),
        end(1),
    ]
    run = write_run(tmp_path / "run", rows)

    (verdict,) = judge([run], ["nonmonotonic-send"])[run.path]

    assert [w["invoked_ns"] for w in verdict.witnesses] == [-hour]
    assert differing([run.path]) == {}
