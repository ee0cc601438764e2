"""What the pages show is so on containers as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.catalogue import ladder_kafkas

ON_DOCKER = ("--kafka-backend", "docker")
NEWEST = ladder_kafkas()[-1].name


@pytest.mark.on_demand
@pytest.mark.parametrize(
    ("kafka", "pages"),
    [
        pytest.param("1.1.1", [shown.README], id="1.1.1-README"),
        pytest.param("2.8.2", [shown.README], id="2.8.2-README"),
        pytest.param(NEWEST, [shown.README], id="newest-README"),
        pytest.param(NEWEST, [shown.MORE], id="newest-more"),
    ],
)
def test_every_chaos_test_on_the_pages_ends_as_they_say(
    kafka: str, pages: Sequence[Path], tmp_path: Path
) -> None:
    words = [*ON_DOCKER, "--kafka", kafka]

    found = shown.played(tmp_path, words, timeout_s=600, pages=pages)

    assert {name: shown.seen(told) for name, told in found.items()} == shown.expected(
        kafka, pages
    ), {name: told["reason"] for name, told in found.items()}
