"""Records in the log of positions that nobody can read: left out, and told of."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.exploration.test_positions import WHERE, a_view, key_of, value_of
from tests.unit.probes.conftest import build_batch

from highwater.exploration.findings import Finding, finding_of
from highwater.exploration.logs import ReplicaLog
from highwater.exploration.positions import Positions
from highwater.exploration.views import MOST
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.play import Play
from highwater.harness.probes.positions import Committed, committed_in

KEY, VALUE = key_of(f"{WHERE.topic}-1"), value_of(5)
GROUP = KEY[:4]  # the version, and how long the name of the group is
CONTROL, TRANSACTIONAL = 0x20, 0x10  # attributes of a batch
COMMIT = (
    struct.pack(">hh", 0, 1),
    struct.pack(">hi", 0, 7),
)  # a marker, with its coordinator's epoch


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((KEY[:length], VALUE) for length in range(len(KEY))),
        *((KEY, VALUE[:length]) for length in range(10)),
        (None, VALUE),
        (struct.pack(">h", -3) + KEY[2:], VALUE),
        (GROUP + b"\xff" * 9 + KEY[13:], VALUE),  # no text
        (KEY[:2] + b"\xff\xff" + KEY[4:], VALUE),  # no group at all
    ],
)
def test_a_damaged_record_is_told_from_others(key: bytes | None, value: bytes) -> None:
    with pytest.raises(DecodeError):
        committed_in(key, value)


def test_what_a_sound_one_says() -> None:
    assert committed_in(KEY, VALUE) == Committed(f"{WHERE.topic}-1", WHERE.topic, 0, 5)


@pytest.mark.parametrize("position", [-1, MOST, 1 << 62])
def test_a_position_that_no_group_of_a_schedule_commits_is_damage(position: int) -> None:
    """It would be called as one of another group."""
    groups = Positions(cast("Play", None), WHERE)

    with pytest.raises(DecodeError, match=f"round-7-1 commits no position {position}"):
        groups.value_of(KEY, value_of(position))


@pytest.mark.parametrize("number", ["0", "01", "\N{ARABIC-INDIC DIGIT ONE}", "9" * 5000])
def test_a_foreign_group_is_none_of_a_schedule(number: str) -> None:
    groups = Positions(cast("Play", None), WHERE)

    assert groups.value_of(key_of(f"{WHERE.topic}-{number}"), VALUE) is None


def test_what_is_damaged_is_left_out_and_told_once(tmp_path: Path) -> None:
    notes: list[str] = []
    groups = Positions(cast("Play", SimpleNamespace(note=notes.append)), WHERE)
    log = ReplicaLog(groups.value_of)
    pairs = [(KEY, value_of(1)), (KEY[:1], VALUE), (KEY, VALUE[:9]), (KEY, value_of(2))]
    marker = build_batch([COMMIT], base_offset=4, attributes=CONTROL | TRANSACTIONAL)
    (tmp_path / f"{0:020d}.log").write_bytes(build_batch(pairs) + marker)

    read = log.read(tmp_path)
    seen = [groups.seen({2: log}) for _ in range(2)][-1]

    assert [value for _, value, _ in read] == [MOST + 1, None, None, MOST + 2]
    (told,) = seen.damaged
    assert told.startswith("broker 2: the record at offset 1 cannot be read: frame ends at byte 1")
    assert told.endswith(", and 1 more")
    assert notes == [told]


def test_damage_alone_is_no_finding_and_is_told_with_it() -> None:
    found = finding_of(a_view(has_it=True, damaged=("broker 2: the record at offset 1",)))

    assert found == Finding(told="broker 2: the record at offset 1")
    assert not found.found
