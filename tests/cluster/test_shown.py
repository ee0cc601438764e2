"""What the pages show is so: every chaos test on them is played as it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests import shown

from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.versions.catalogue import ladder_kafkas

NEWEST = ladder_kafkas()[-1].name
BY_TURNS = [
    pytest.param(
        kafka,
        pages,
        marks=pytest.mark.on_demand,
        id=f"{'newest' if kafka == NEWEST else kafka}-{name}",
    )
    for kafka, pages, name in (
        (NEWEST, [shown.README], "README"),
        (NEWEST, [shown.MORE], "more"),
        ("1.1.1", [shown.README], "README"),
        ("1.1.1", [shown.MORE], "more"),
        ("2.8.2", [shown.README], "README"),
        ("2.8.2", [shown.MORE], "more"),
        ("3.9.1", shown.TUTORIALS, "tutorials"),
    )
]
UNDONE = r"billing-\d committed offset \d+ .*, and none of its members has processed the record"


@pytest.mark.parametrize(("kafka", "pages"), BY_TURNS)
def test_every_chaos_test_on_the_pages_ends_as_they_say(
    kafka: str, pages: Sequence[Path], tmp_path: Path
) -> None:
    blocks = shown.blocks(pages)

    found = shown.played(tmp_path, ["--kafka", kafka], 900, blocks)

    ended = {name: shown.seen(told) for name, told in found.items()}
    assert ended == shown.expected(kafka, blocks), shown.reasons(found)
    if shown.README in pages:
        (violation,) = found["test_every_order_is_billed"]["violated"]
        assert violation["anomalies"] == 1
        assert re.match(UNDONE, violation["witness"])
        run = found["test_orders_survive_a_rolling_restart"]["run"]
        _has_what_a_rolling_restart_was(open_run(tmp_path / "report" / run))


def _has_what_a_rolling_restart_was(run: StoredRun) -> None:
    """Each broker is on the timeline as a fault, and the group has committed everywhere."""
    opened = [each["fault"] for each in run.events() if each.get("phase") == "opened"]
    assert opened[:3] == [f"Restart(broker={broker})" for broker in (1, 2, 3)]
    commits = run.table("commits").to_pandas()
    assert {*commits[commits["outcome"] == "ok"]["partition"]} == {*range(6)}
