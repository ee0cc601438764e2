"""What the pages show is so on containers as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.catalogue import ladder_kafkas

ON_DOCKER = ("--kafka-backend", "docker")
NEWEST = ladder_kafkas()[-1].name


HALVES = (slice(None, None, 2), slice(1, None, 2))  # a slice of the long tests has room for one


@pytest.mark.on_demand
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize(
    ("kafka", "page"),
    [
        pytest.param("1.1.1", shown.README, id="1.1.1-README"),
        pytest.param("2.8.2", shown.README, id="2.8.2-README"),
        pytest.param(NEWEST, shown.README, id="newest-README"),
        pytest.param(NEWEST, shown.MORE, id="newest-more"),
    ],
)
def test_every_chaos_test_on_the_pages_ends_as_they_say(
    kafka: str, page: Path, half: int, tmp_path: Path
) -> None:
    blocks = shown.blocks([page])[HALVES[half]]

    found = shown.played(tmp_path, [*ON_DOCKER, "--kafka", kafka], 900, blocks)

    ended = {name: shown.seen(told) for name, told in found.items()}
    assert ended == shown.expected(kafka, blocks), shown.reasons(found)
