"""The table of clients under the same faults."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import client_ladder

from highwater.explained import explanations
from highwater.harness.foreign.languages import KNOWN, Known
from highwater.harness.foreign.programs import OURS
from highwater.scenarios.catalogue import scenarios

ROOT = Path(__file__).parents[3]
RUNNING = [name for name in client_ladder.CLIENTS if name not in {"kafkajs", "platformatic"}]


def row(scenario: str, client: str | None, **more: Any) -> dict[str, Any]:
    control = None if client is None else f"client={client}"
    counted: dict[str, Any] = {"trials": 3, "reproduced": 0, "inconclusive": 0, "anomalies": {}}
    counted |= {"unexpected": [], "reasons": [], **more}
    clean = counted["trials"] - counted["reproduced"] - counted["inconclusive"]
    return {"scenario": scenario, "kafka": "4.1.1", "control": control, "clean": clean, **counted}


def test_a_client_is_a_column_and_what_broke_is_named_with_its_number() -> None:
    lost = {"reproduced": 3, "anomalies": {"lost-write": 1_204, "duplicate": 2}}
    rows = [
        row("client-undisturbed", None),
        row("client-undisturbed", "java:2.8.2"),
        row("client-answer-lost", None, inconclusive=1),
        row("client-answer-lost", "java:2.8.2", **lost),
    ]

    told = client_ladder.section(["## Clients", ""], rows).splitlines()

    assert "| scenario | confluent | java:2.8.2 |" in told
    assert "| client-undisturbed | 0/3 | 0/3 |" in told
    assert "| client-answer-lost | 0/3 ?1 | 3/3 |" in told
    assert "- client-answer-lost, java:2.8.2: 2 of duplicate, 1,204 of lost-write" in told
    assert "12 trials, 1 of them inconclusive." in told


def test_where_versions_of_a_client_differ_is_said() -> None:
    rows = [
        row("client-unanswered", "java:2.8.2", reproduced=3, anomalies={"duplicate": 2}),
        row("client-unanswered", "java:4.3.1"),
    ]

    told = client_ladder.section([], rows).splitlines()

    flip = "client-unanswered on 4.1.1 flips between java 2.8.2 and 4.3.1: 3 of 3 and 0 of 3."
    assert f"- {flip}" in told


def test_a_client_that_cannot_be_lined_up_has_not_failed_and_the_reason_is_said() -> None:
    stalled = {"inconclusive": 3, "anomalies": {"stalled-sends": 1}}
    why = "three of its requests are under way at once, which not every client does: not so"
    rows = [
        row("client-leads-too-soon", None, reproduced=3, anomalies={"duplicate": 2}),
        row("client-leads-too-soon", "sarama", **stalled, reasons=[f"{why}; seen: {{}}"] * 3),
        row("client-leads-too-soon", "kafka-go", **stalled, reasons=[f"{why}; seen: {{}}"] * 3),
    ]

    told = client_ladder.section(["## Clients", ""], rows)

    assert "| client-leads-too-soon | 3/3 | not lined up | not lined up |" in told
    assert "stalled-sends" not in told
    assert "that is no failure of the client" in told
    assert f"- client-leads-too-soon, sarama, kafka-go: {why}\n" in told


def test_the_table_names_what_asks_the_same_without_a_fault() -> None:
    names = ("client-undisturbed", "client-refused", "client-flushes", "client-misled")

    told = client_ladder.section([], [row(name, "java") for name in names]).splitlines()

    assert "- client-flushes-undisturbed: of client-flushes" in told
    assert "- client-undisturbed: of client-misled, client-refused" in told


def test_a_claim_that_no_scenario_is_about_is_told_wherever_it_broke() -> None:
    odd = {"inconclusive": 3, "anomalies": {"phantom-read": 1}, "unexpected": ["phantom-read"]}

    told = client_ladder.section(["## Clients", ""], [row("client-refused", "java", **odd)])

    assert "- client-refused, java: 1 of phantom-read" in told


def test_what_broke_is_named_with_the_page_or_the_ticket_that_explains_it() -> None:
    lost = {"reproduced": 3, "anomalies": {"lost-write": 3}}
    rows = [row("client-refused", name, **lost) for name in ("java", "kafkajs", "sarama")]
    explained = {
        "java": {"client-refused": "https://issues.apache.org/jira/browse/KAFKA-1"},
        "kafkajs": {"client-refused": "findings/lost.md", "client-flushes": "findings/other.md"},
    }

    told = client_ladder.section([], rows, explained).splitlines()

    ticket = "([KAFKA-1](https://issues.apache.org/jira/browse/KAFKA-1))"
    assert f"- client-refused, java: 3 of lost-write {ticket}" in told
    assert "- client-refused, kafkajs: 3 of lost-write ([page](findings/lost.md))" in told
    assert "- client-refused, sarama: 3 of lost-write" in told


def test_whatever_broke_in_the_table_has_a_page_or_a_ticket_that_explains_it() -> None:
    kept = json.loads((ROOT / "docs" / "results" / "clients.json").read_text())
    broken = [each for each in kept["cells"] if client_ladder.has_broken(each)]
    explained = explanations()
    pages = ROOT / "docs"

    found = {
        (each["scenario"], each["control"]): client_ladder.why(each, explained) for each in broken
    }

    assert found
    assert {where for where, why in found.items() if why is None} == set()
    named = [why for some in explained.values() for why in some.values()]
    missing = [why for why in named if "://" not in why and not (pages / why).is_file()]
    assert missing == []


LOCKS = ("requirements.lock", "package.json", "go.mod", "Cargo.toml")


@pytest.mark.parametrize("known", KNOWN.values(), ids=lambda known: known.name)
def test_what_a_client_promises_was_read_of_the_version_that_is_locked(known: Known) -> None:
    folder, page = ROOT / "adapters" / known.folder, ROOT / "docs" / "promises.md"
    (lock,) = [folder / name for name in LOCKS if (folder / name).is_file()]
    locked = re.search(rf"{known.package}\W+(?:version\W+)?v?([\d.]+\d)", lock.read_text())
    lines = page.read_text().splitlines()

    assert locked is not None
    (line,) = [each for each in lines if re.match(rf"\| .*\b{known.name}\b.* \d+\.\d+\.\d+", each)]
    assert f" {locked[1]}" in line


def test_clients_that_were_not_played_are_named() -> None:
    rows = [row("client-undisturbed", None if name == OURS else name) for name in RUNNING]

    told = client_ladder.section(["## Clients", ""], rows)

    assert "Not played for this table: kafkajs, platformatic." in told


def test_what_cannot_be_built_here_is_left_out_of_the_command_and_the_reason_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))  # no Node.js, no Go
    monkeypatch.setattr(client_ladder, "CLIENTS", (OURS, "kafkajs", "sarama"))

    one, other = (shlex.join(words) for words in client_ladder.shares(1))

    end = f" -c {OURS} -n 1 --reruns 2"
    assert one.startswith("clients -k 4.1.1 -s client-answer-late -s ")
    assert one.endswith(end)
    assert other.endswith(end)
    named = [name for words in (one, other) for name in words.split(" -c ")[0].split(" -s ")[1:]]
    assert sorted(named) == [each.name for each in scenarios() if each.any_client]
    told = capsys.readouterr().err
    assert "without kafkajs: client 'kafkajs' is of Node.js: expected a program 'npm'" in told
    assert "without sarama:" in told


@pytest.mark.parametrize(("ends", "whole"), [("true", False), ("touch {}", True)])
def test_a_table_of_a_part_before_is_not_taken_for_this_one(
    ends: str, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "compare.json"
    table.write_text("{}")
    os.utime(table, (1, 1))
    _says(tmp_path, monkeypatch, ends.format(table))

    assert client_ladder.play({tmp_path: []}, 60) is whole


def test_parts_that_do_not_end_in_time_are_ended_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    _says(tmp_path, monkeypatch, f"trap '' INT; echo $$ >>{told}; while :; do sleep 0.1; done")
    monkeypatch.setattr(client_ladder, "END_TIMEOUT_S", 0.2)

    assert not client_ladder.play({tmp_path / "1": [], tmp_path / "2": []}, 2)

    pids = told.read_text().split()
    assert len(pids) == 2
    assert not any(Path("/proc", pid).exists() for pid in pids)


def _says(folder: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
