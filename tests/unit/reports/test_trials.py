"""How a trial is played again, by what its run.json says."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from highwater.cli import app
from highwater.reports.trials import command

SCENARIO = {"scenario": "kip101-loss-strict", "kafka": "3.9.1-zk", "backend": "process"}
OURS = {"image": "highwater/kafka:3.9.1", "jars": {"digest": "sha256:1"}}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "--kafka 3.9.1-zk"),
        ({"control": "ibp=0.11.0-IV1"}, "--kafka 3.9.1-zk --control ibp=0.11.0-IV1"),
        ({"backend": "docker", **OURS}, "--kafka 3.9.1-zk --backend docker"),
        (
            {"backend": "docker", "image": "apache/kafka:3.9.1"},
            "--kafka 3.9.1-zk --backend docker --image apache/kafka:3.9.1",
        ),
        (
            {"backend": "docker", "image": "x", "project": "mine"},
            "--attach compose:mine --i-own-this-cluster",
        ),
        ({"seed": 7}, "--kafka 3.9.1-zk"),
    ],
)
def test_a_scenario_is_played_again_as_it_was_played(more: dict[str, Any], words: str) -> None:
    assert command({**SCENARIO, **more}) == f"highwater run kip101-loss-strict {words}"


def test_every_option_of_the_command_is_one_that_highwater_run_has() -> None:
    asked = {"control": "c", "backend": "docker", "image": "apache/kafka:3.9.1"}
    borrowed = {"project": "mine"}
    said = [*command({**SCENARIO, **asked}).split(), *command({**SCENARIO, **borrowed}).split()]

    described = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "200"}).output

    options = {word for word in said if word.startswith("--")}
    assert options
    assert [option for option in options if option not in described] == []


def test_a_test_of_pytest_is_repeated_by_its_own_command() -> None:
    assert command({"test": "a.py::test_x", "kafka": "4.1.1", "command": "pytest a.py"}) == (
        "pytest a.py"
    )


def test_a_record_of_another_tool_has_no_command() -> None:
    assert command({"schema": 1, "tool": "another-tester 2.0"}) == ""
