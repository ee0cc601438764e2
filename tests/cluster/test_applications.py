"""The user's own programs as participants of a play: what they made is judged by a contract."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.pytest_runs import run_pytest

from highwater.harness.foreign.java import NEEDED
from highwater.harness.jvm.java import find_java
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.versions.jars import jars_named

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "applications.md"
PROGRAMS = Path(__file__).parent / "programs"

# The program is killed when it has made bills that it has not committed, or committed what it has
# made no bills of, or in the middle of a transaction.
SUITE = """
import pytest

from highwater.harness.clients.terms import Terms
from highwater.harness.wait import wait_until


@pytest.mark.parametrize("commits", {ways})
def test_an_application_is_killed_in_the_middle_of_what_it_was_handed(play, commits):
    orders, bills = play.topic("orders"), play.topic("bills")
    command = [*{program}, orders.name, bills.name, commits]
    billing = play.application(command, env={{"LANG": "C.UTF-8"}}, name="billing")
    one_bill = Terms(group="billing", identity={identity!r}, keeps=("key",))
    contract = billing.contract(orders, bills, one_bill)

    def billed():
        return bills[0].high_watermark(bills[0].leader)

    with billing:
        billing.await_said("reads")
        with play.load(orders, rate_per_s=150) as load:
            contract.await_committed(100)
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


def _java() -> list[str]:
    """From its source, with the jars of the cluster's own release."""
    jars = ":".join(map(str, jars_named(find_kafka("4.1.1"), NEEDED)))
    return [str(find_java().path), "-Xmx256m", "-cp", jars, str(PROGRAMS / "Billing.java")]


def _played(tmp_path: Path, kafka: str, **told: object) -> Sequence[dict[str, Any]]:
    """What the report says of each test of the suite."""
    (tmp_path / "test_billing.py").write_text(SUITE.format(**told))
    report = tmp_path / "report"
    done = run_pytest(
        tmp_path, "-q", "--kafka", kafka, f"--highwater-report={report}", "test_billing.py"
    )
    assert (report / "suite.json").exists(), done.stdout + done.stderr
    tests: Sequence[dict[str, Any]] = json.loads((report / "suite.json").read_text())["tests"]
    return [{**each, "record": open_run(report / each["run"])} for each in tests]


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["4.1.1", "1.1.1"])
def test_there_is_one_bill_of_each_order_or_it_is_said(kafka: str, tmp_path: Path) -> None:
    program = [sys.executable, str(PROGRAMS / "billing.py")]
    ways = ["within", "after", "before"]

    tests = _played(tmp_path, kafka, program=program, ways=ways, identity="json:order")

    assert [_end(each) for each in tests] == [
        ("passed", {}),
        ("failed", {"broken-contract": {"too many"}}),
        ("failed", {"broken-contract": {"missing"}}),
    ], tests
    within = tests[0]["record"]
    rows = within.table("contracts").to_pylist()
    assert {row["each"] for row in rows if row["tells"] == "input"} == {"exactly"}
    _has_its_life_on_the_timeline(within)


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["4.3.1", "2.8.2"])
def test_the_page_on_applications_is_so(kafka: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert [name for name, _ in blocks] == ["billing.py", "test_billing.py"]
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    report = tmp_path / "report"

    done = run_pytest(
        tmp_path, "-q", "--kafka", kafka, f"--highwater-report={report}", "test_billing.py"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    (test,) = json.loads((report / "suite.json").read_text())["tests"]
    rows = open_run(report / test["run"]).table("contracts").to_pylist()
    inputs, outputs = (
        [row["identity"] for row in rows if row["tells"] == side] for side in ("input", "output")
    )
    assert len(inputs) >= 800
    assert sorted(inputs) == sorted(outputs)


@pytest.mark.on_demand
def test_a_service_in_java_is_held_to_its_contract_as_well(tmp_path: Path) -> None:
    told = {"program": _java(), "ways": ["within", "after"], "identity": "header:order"}

    tests = _played(tmp_path, "4.1.1", **told)

    assert [_end(each) for each in tests] == [
        ("passed", {}), ("failed", {"broken-contract": {"too many"}})
    ], tests  # fmt: skip


def _end(test: dict[str, Any]) -> tuple[str, dict[str, set[str]]]:
    """What became of it, and of each claim that is violated how."""
    told = json.loads((test["record"].path / "verdicts.json").read_text())["verdicts"]
    witnesses = {each["claim"]: each["witnesses"] for each in told}
    violated = [each["claim"] for each in test["violated"]]
    return test["outcome"], {
        claim: {each.get("problem", "") for each in witnesses[claim]} for claim in violated
    }


def _has_its_life_on_the_timeline(run: StoredRun) -> None:
    own = [each for each in run.events() if each.get("client") == "billing"]
    assert [each["event"] for each in own if each["kind"] == "client"] == [
        "started", "killed", "started", "paused", "resumed", "stopping", "ended",
    ]  # fmt: skip
    said = [each["text"] for each in own if each["kind"] == "said"]
    assert said[0].startswith("reads ")
    log = (run.path / "client-logs" / "billing.log").read_text()
    assert log.splitlines()[: len(said)] == said
