"""A member is killed while it processes: when it commits decides what is left undone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

from highwater.harness.clients.settings import ConsumerSettings


@pytest.mark.parametrize("commits", ["after", "before"])
def test_every_order_is_billed(play, commits):
    orders = play.topic("orders")
    orders[0].require_acked(orders[0].send(12))
    settings = ConsumerSettings(commits=commits, processing_s=0.5)
    with play.group("billing", orders, members=2, settings=settings) as billing:
        (busy,) = [member for member in billing.members if member.assigned]
        billing.await_committed(3)
        busy.kill()
        billing.await_caught_up()
        billing.await_committed(12 - billing.committed)
"""


@pytest.mark.cluster
@pytest.mark.parametrize("kafka", ["0.11.0.3", "4.1.1"])
def test_a_member_that_commits_before_it_processes_and_dies_leaves_a_record_undone(
    kafka: str, tmp_path: Path
) -> None:
    (tmp_path / "test_billing.py").write_text(SUITE)
    report = tmp_path / "report"
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--kafka", kafka]

    done = subprocess.run(
        [*pytest_, f"--highwater-report={report}", "test_billing.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    tests = json.loads((report / "suite.json").read_text())["tests"]
    after, before = sorted(tests, key=lambda each: each["test"])
    assert (after["outcome"], before["outcome"]) == ("passed", "failed"), done.stdout
    (violation,) = before["violated"]
    assert (violation["claim"], violation["anomalies"]) == ("unprocessed", 1)
    undone = r"billing-\d committed offset \d+ .*, and none of its members has processed the record"
    assert re.match(undone, violation["witness"])
