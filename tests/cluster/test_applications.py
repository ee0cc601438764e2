"""The user's own programs as participants of a play: what they made is judged by a contract."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from tests.cluster.applications import PROGRAMS, end_of, java, played
from tests.pytest_runs import run_pytest

from highwater.harness.record.reader import StoredRun, open_run

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "applications.md"

# When a program commits, and what becomes of its orders.
ENDS: dict[str, tuple[str, dict[str, set[str]]]] = {
    "within": ("passed", {}),
    "after": ("failed", {"broken-contract": {"too many"}}),
    "before": ("failed", {"broken-contract": {"missing"}}),
}

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
        contract.await_caught_up(150)
    assert billing.json_lines[0]["billed"] > 0
"""


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["4.1.1", "1.1.1"])
def test_there_is_one_bill_of_each_order_or_it_is_said(kafka: str, tmp_path: Path) -> None:
    program = [sys.executable, str(PROGRAMS / "billing.py")]
    suite = SUITE.format(program=program, ways=list(ENDS), identity="json:order")

    tests = played(tmp_path, kafka, suite)

    assert [end_of(each) for each in tests] == list(ENDS.values()), tests
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


LATE = """
import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.clients.terms import Terms
from highwater.harness.gate.rules import Trigger


@pytest.mark.highwater(gated_clients=True)
@pytest.mark.parametrize("commits", ["within", "after"])
def test_a_broker_says_that_it_failed_and_did_not(play, commits):
    orders, bills = play.topic("orders"), play.topic("bills")
    command = [*{program}, orders.name, bills.name, commits]
    billing = play.application(command, name="billing")
    contract = billing.contract(orders, bills, Terms(group="billing", identity="json:order"))
    tenth = Trigger("chance", chance=0.1, seed=7)
    with billing:
        billing.await_said("reads")
        with play.load(orders, rate_per_s=50) as load:
            contract.await_committed(50)
            late = AnswerRequests(
                "Produce", "REQUEST_TIMED_OUT", client="billing", often=tenth, done=True
            )
            play.inject(late).await_answered()
            load.await_acked(200)
            play.heal()
        contract.await_caught_up(150)
"""


@pytest.mark.on_demand
def test_an_application_meets_faults_of_the_gate(tmp_path: Path) -> None:
    program = [sys.executable, str(PROGRAMS / "billing.py")]

    tests = played(tmp_path, "4.1.1", LATE.format(program=program))

    assert [end_of(each) for each in tests] == [
        ("passed", {}), ("failed", {"broken-contract": {"too many"}})
    ], tests  # fmt: skip


@pytest.mark.on_demand
@pytest.mark.parametrize(("commits", "end"), ENDS.items(), ids=ENDS)
def test_a_service_in_java_is_held_to_its_contract_as_well(
    tmp_path: Path, commits: str, end: tuple[str, dict[str, set[str]]]
) -> None:
    suite = SUITE.format(program=java("Billing.java"), ways=[commits], identity="header:order")

    (test,) = played(tmp_path, "4.1.1", suite)

    assert end_of(test) == end, test


def _has_its_life_on_the_timeline(run: StoredRun) -> None:
    own = [each for each in run.events() if each.get("client") == "billing"]
    assert [each["event"] for each in own if each["kind"] == "client"] == [
        "started", "killed", "started", "paused", "resumed", "stopping", "ended",
    ]  # fmt: skip
    said = [each["text"] for each in own if each["kind"] == "said"]
    assert said[0].startswith("reads ")
    log = (run.path / "client-logs" / "billing.log").read_text()
    assert log.splitlines()[: len(said)] == said
