"""What the pages show is so on containers as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.catalogue import ladder_kafkas

ON_DOCKER = ("--kafka-backend", "docker")
NEWEST = ladder_kafkas()[-1].name


@pytest.mark.on_demand
def test_orders_survive_a_rolling_restart_of_containers(tmp_path: Path) -> None:
    only = ["-k", "test_orders_survive_a_rolling_restart"]

    found = shown.played(tmp_path, [*ON_DOCKER, "--kafka", "2.8.2", *only], timeout_s=300)

    (told,) = found.values()
    assert shown.seen(told) == ("passed", []), told["reason"]


@pytest.mark.on_demand
def test_every_chaos_test_on_the_pages_ends_as_they_say(tmp_path: Path) -> None:
    found = shown.played(tmp_path, [*ON_DOCKER, "--kafka", NEWEST], timeout_s=600)

    assert {name: shown.seen(told) for name, told in found.items()} == shown.expected(NEWEST), {
        name: told["reason"] for name, told in found.items()
    }
