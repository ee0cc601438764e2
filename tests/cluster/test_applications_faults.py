"""A program of the user's is hit by faults, alone and with a broker, and held to its contract."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cluster.applications import PROGRAMS, end_of, played

SUITE = """
import pytest

from highwater.faults.kill import Kill
from highwater.faults.kill_client import KillClient
from highwater.faults.pause_client import PauseClient
from highwater.faults.together import Together
from highwater.harness.clients.terms import Terms


def test_a_program_is_killed_with_a_broker_and_frozen(play):
    orders, bills = play.topic("orders"), play.topic("bills")
    command = [*{program}, orders.name, bills.name, "within"]
    billing = play.application(command, env={{"LANG": "C.UTF-8"}}, name="billing")
    contract = billing.contract(orders, bills, Terms(group="billing", identity="json:order"))
    with billing:
        billing.await_said("reads")
        with play.load(orders, rate_per_s=100) as load:
            contract.await_committed(50)
            both = play.inject(Together((KillClient(billing), Kill(bills[0].leader))))
            load.await_acked(100)
            assert not billing.is_running
            play.heal(both)
            contract.await_committed(contract.committed + 50)
            frozen = play.inject(PauseClient(billing))
            load.await_acked(100)
            play.heal(frozen)
            contract.await_committed(contract.committed + 50)
        contract.await_caught_up(150)
"""


@pytest.mark.on_demand
def test_an_application_is_hit_by_faults_and_there_is_one_bill_of_each_order(
    tmp_path: Path,
) -> None:
    program = [sys.executable, str(PROGRAMS / "billing.py")]

    (test,) = played(tmp_path, "4.1.1", SUITE.format(program=program))

    assert end_of(test) == ("passed", {})
    told = [each for each in test["record"].events() if each["kind"] == "fault"]
    phases = [(each["phase"], each["fault"].partition("(")[0]) for each in told]
    assert phases == [
        ("opened", "Together"),
        ("closed", "Together"),
        ("opened", "PauseClient"),
        ("closed", "PauseClient"),
    ]
    assert "KillClient('billing')" in told[0]["fault"]
    lives = [each for each in test["record"].events() if each["kind"] == "client"]
    assert [each["event"] for each in lives if each["client"] == "billing"] == [
        "started", "killed", "started", "paused", "resumed", "stopping", "ended",
    ]  # fmt: skip
