"""The lock files that come with the catalogue."""

from __future__ import annotations

import re

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Row, rows
from highwater.harness.versions.jars import locked_jars

ALL = pytest.mark.parametrize("row", rows(), ids=lambda row: row.version)


@ALL
def test_every_row_has_a_lock_that_pins_each_jar(row: Row) -> None:
    jars = locked_jars(row.version)

    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) for jar in jars)
    assert all(jar.size_bytes > 0 for jar in jars)
    assert len({jar.filename for jar in jars}) == len(jars)
    assert row.coordinate in {jar.coordinate for jar in jars}


@ALL
def test_a_lock_has_what_its_row_adds_and_replaces(row: Row) -> None:
    locked = {jar.coordinate for jar in locked_jars(row.version)}

    assert locked >= set(row.add)
    assert locked >= {f"{name}:{version}" for name, version in row.replace.items()}


def test_every_version_has_a_set_of_jars_of_its_own() -> None:
    sets = {tuple(jar.sha256 for jar in locked_jars(row.version)) for row in rows()}

    assert len(sets) == len(rows())


def test_a_version_without_a_lock_is_told_how_to_get_one() -> None:
    with pytest.raises(UsageError, match=r"versions\.lock 9\.9\.9"):
        locked_jars("9.9.9")
