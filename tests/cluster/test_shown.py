"""What the pages show is so: every chaos test on them is played as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.catalogue import every_kafka

NEWEST = every_kafka()[-1].name
BY_TURNS = ["0.11.0.3", "2.8.2"]


@pytest.mark.parametrize(
    "kafka", [NEWEST, *(pytest.param(each, marks=pytest.mark.on_demand) for each in BY_TURNS)]
)
def test_every_chaos_test_on_the_pages_ends_as_they_say(kafka: str, tmp_path: Path) -> None:
    found = shown.played(tmp_path, ["--kafka", kafka], timeout_s=480)

    wanted = {
        name: shown.expected(name) for block in shown.blocks() for name in shown.names_of(block)
    }
    assert {name: shown.seen(told) for name, told in found.items()} == wanted, [
        told["reason"] for told in found.values()
    ]
