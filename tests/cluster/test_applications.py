"""The user's own programs as participants of a play: what they made is judged by a contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest

from highwater.harness.record.reader import StoredRun, open_run

PROGRAMS = Path(__file__).parent / "programs"

SUITE = f"""
import sys

import pytest

from highwater.harness.clients.terms import Terms
from highwater.harness.wait import wait_until

PROGRAM = {str(PROGRAMS / "billing.py")!r}


@pytest.mark.parametrize("commits", ["within", "after", "before"])
def test_an_application_is_killed_in_the_middle_of_what_it_was_handed(play, commits):
    orders, bills = play.topic("orders"), play.topic("bills")
    command = [sys.executable, PROGRAM, orders.name, bills.name, commits]
    billing = play.application(command, env={{"LANG": "C.UTF-8"}}, name="billing")
    one_bill = Terms(group="billing", identity="json:order", keeps=("key",))
    contract = billing.contract(orders, bills, one_bill)

    def billed():
        return bills[0].high_watermark(bills[0].leader)

    with billing:
        billing.await_said("reads")
        with play.load(orders, rate_per_s=150) as load:
            wait_until(lambda: contract.committed >= 100, "the application to commit")
            if commits == "after":
                wait_until(lambda: billed() > contract.committed + 5, "bills not committed yet")
            if commits == "before":
                wait_until(lambda: billed() < contract.committed - 5, "commits not billed yet")
            billing.kill()
            billing.start()
            load.await_acked(200)
            with billing.paused():
                load.await_acked(100)
        contract.await_caught_up()
    assert billing.json_lines[0]["billed"] > 0
"""


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["4.1.1", "1.1.1"])
def test_there_is_one_bill_of_each_order_or_it_is_said(kafka: str, tmp_path: Path) -> None:
    (tmp_path / "test_billing.py").write_text(SUITE)
    report = tmp_path / "report"

    done = run_pytest(
        tmp_path, "-q", "--kafka", kafka, f"--highwater-report={report}", "test_billing.py"
    )

    assert (report / "suite.json").exists(), done.stdout + done.stderr
    tests = json.loads((report / "suite.json").read_text())["tests"]
    assert [each["outcome"] for each in tests] == ["passed", "failed", "failed"], done.stdout
    assert [_violated(each) for each in tests] == [[], ["broken-contract"], ["broken-contract"]]
    within, after, before = (open_run(report / each["run"]) for each in tests)
    assert [_problems(run) for run in (after, before)] == [{"too many"}, {"missing"}]
    rows = within.table("contracts").to_pylist()
    assert {row["each"] for row in rows if row["tells"] == "input"} == {"exactly"}
    _has_its_life_on_the_timeline(within)


def _violated(test: dict[str, object]) -> list[str]:
    violated = test["violated"]
    assert isinstance(violated, list)
    return [each["claim"] for each in violated]


def _problems(run: StoredRun) -> set[str]:
    told = json.loads((run.path / "verdicts.json").read_text())["verdicts"]
    (verdict,) = [each for each in told if each["claim"] == "broken-contract"]
    return {each["problem"] for each in verdict["witnesses"]}


def _has_its_life_on_the_timeline(run: StoredRun) -> None:
    own = [each for each in run.events() if each.get("client") == "billing"]
    assert [each["event"] for each in own if each["kind"] == "client"] == [
        "started", "killed", "started", "paused", "resumed", "stopping", "ended",
    ]  # fmt: skip
    said = [each["text"] for each in own if each["kind"] == "said"]
    assert said[0].startswith("reads ")
    log = (run.path / "client-logs" / "billing.log").read_text()
    assert log.splitlines()[: len(said)] == said
