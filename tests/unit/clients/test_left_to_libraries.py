"""Members that leave commits to their library: what they are told, and who is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.foreign.scripts import KEEPS

from highwater.harness.clients.grouping import Grouped
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka

OFTEN = ConsumerSettings(commits="auto", library={"auto.commit.interval.ms": 200})
CANNOT = KEEPS.replace('MEMBER += ["enable.auto.commit", "auto.commit.interval.ms"]\n', "")


def scene(*, is_between: bool = True) -> Any:
    gate = SimpleNamespace(rows=SimpleNamespace(is_between=is_between))
    cluster = SimpleNamespace(
        kafka=find_kafka("4.1.1"), bootstrap="127.0.0.1:1", gate=gate, has=frozenset({"links"})
    )
    return SimpleNamespace(cluster=cluster)


def command(tmp_path: Path, program: str = KEEPS) -> tuple[str, ...]:
    script = tmp_path / "adapter.py"
    script.write_text(program)
    return (sys.executable, str(script), str(tmp_path / "log"))


def test_a_member_is_told_that_its_library_commits_and_how_often(tmp_path: Path) -> None:
    order = Grouped(scene(), OFTEN, command(tmp_path)).order()

    assert order["commits"] == "auto"
    told = {name: order["told"][name] for name in ("enable.auto.commit", "auto.commit.interval.ms")}
    assert told == {"enable.auto.commit": True, "auto.commit.interval.ms": 200}


def test_a_library_that_is_told_nothing_commits_as_often_as_kafkas_own(tmp_path: Path) -> None:
    order = Grouped(scene(), ConsumerSettings(commits="auto"), command(tmp_path)).order()

    assert order["told"]["auto.commit.interval.ms"] == 5_000


def test_who_commits_by_itself_is_told_nothing_of_it(tmp_path: Path) -> None:
    order = Grouped(scene(), ConsumerSettings(), command(tmp_path)).order()

    assert not {"enable.auto.commit", "auto.commit.interval.ms"} & order["told"].keys()


def test_where_a_group_begins_is_told_to_any_library(tmp_path: Path) -> None:
    settings = ConsumerSettings(library={"auto.offset.reset": "latest"})

    order = Grouped(scene(), settings, command(tmp_path)).order()

    assert order["told"]["auto.offset.reset"] == "latest"


@pytest.mark.parametrize(
    ("told", "settings", "is_between", "why"),
    [
        (KEEPS, OFTEN, False, "seen at the gate alone: expected gated_clients=True, commits of"),
        (CANNOT, OFTEN, True, "members of literal 1 cannot be set to enable.auto.commit=True"),
        (
            KEEPS,
            ConsumerSettings(library={"auto.commit.interval.ms": 200}),
            True,
            "auto.commit.interval.ms is a setting of librdkafka",
        ),
        (
            KEEPS,
            ConsumerSettings(commits="auto", library={"fetch.min.bytes": 1}),
            True,
            "fetch.min.bytes is a setting of librdkafka",
        ),
        (
            KEEPS,
            ConsumerSettings(library={"auto.offset.reset": "error"}),
            True,
            "expected auto.offset.reset of members of other libraries to be one of earliest,",
        ),
    ],
    ids=["no gate", "cannot", "not left to it", "another setting", "a word of librdkafka's"],
)
def test_what_cannot_be_is_refused(
    told: str, settings: ConsumerSettings, is_between: bool, why: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=why):
        Grouped(scene(is_between=is_between), settings, command(tmp_path, told)).order()
