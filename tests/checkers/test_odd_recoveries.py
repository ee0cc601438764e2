"""Odd timelines, damaged tables, far times and large records; how recoveries are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import judgement_under, look, poll, send
from tests.checkers.timelines import (
    KILL,
    MS,
    STEADY,
    Event,
    Judged,
    acked,
    closed,
    looks,
    only,
    opened,
)

from highwater import judging as checking
from highwater.checkers import catalogue, tasks
from highwater.checkers import judge as judging
from highwater.checkers.judge import Judgement
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt, open_run

pytestmark = pytest.mark.spark


def test_without_a_fault_or_a_send_there_is_no_row(judged: Judged) -> None:
    assert judged(STEADY).recoveries.num_rows == 0


def test_nor_is_there_one_where_nobody_sent(judged: Judged) -> None:
    assert judged([poll(1, 1), *looks((0, 1, "1"))], opened(50)).recoveries.num_rows == 0


def test_a_fault_that_could_not_be_injected_has_no_row(judged: Judged) -> None:
    failed = {**KILL, "phase": "failed", "at_ns": 5}

    assert judged(STEADY, failed).recoveries.num_rows == 0


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"id": [1]}, "the id of a fault is [1], expected a number"),
        ({"id": None}, "the id of a fault is None, expected a number"),
        ({"at_ns": 10**30}, "expected it within 4611686018427387904 of zero"),
        ({"began_ns": -(10**30)}, "expected it within 4611686018427387904 of zero"),
        ({"began_ns": "soon"}, "began_ns of a fault is 'soon'"),
    ],
)
def test_an_odd_fault_is_told_and_takes_no_verdict_along(
    judged: Judged, odd: Event, said: str
) -> None:
    found = judged(STEADY, {**opened(50), **odd})

    assert said in found.unreadable["events.jsonl"]
    assert found.recoveries.num_rows == 0
    assert found.measures.num_rows == 4
    assert len(found.verdicts) == len(catalogue.claims())


@pytest.mark.parametrize("broken", ["recoveries_of", "states_of"])
def test_what_cannot_be_measured_takes_no_verdict_and_no_other_measure_along(
    judged: Judged, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    where: Any = judging if broken == "recoveries_of" else tasks
    monkeypatch.setattr(where, broken, lambda *_: 1 / 0)

    found = judged([*STEADY, *looks((0, 1, "1"))], opened(50))

    assert "ZeroDivisionError" in found.unreadable["recoveries"]
    assert found.measures.num_rows == 4
    assert len(found.verdicts) == len(catalogue.claims())
    assert found.recoveries.num_rows == (0 if broken == "recoveries_of" else 2)


@pytest.mark.parametrize("table", ["history", "replica_states"])
def test_of_a_table_that_cannot_be_read_nothing_is_measured(
    write_run: Any, tmp_path: Path, table: str
) -> None:
    run = write_run(tmp_path / "run", [*STEADY, *looks((0, 1, "1,2,3"), (200, 1, "2,3"))])
    (run.path / table / "part-000001.parquet").write_bytes(b"PAR1")

    found = judgement_under(run, [opened(50)])

    assert table in found.unreadable
    rows = found.recoveries.to_pylist()
    assert [row["partition"] for row in rows] == ([] if table == "history" else [None, 0])
    assert all(row["isr_shrank"] is None and row["leaderless_ms"] is None for row in rows)


def test_an_id_that_is_used_again_is_healed_each_time_for_itself(judged: Judged) -> None:
    said = judged(STEADY, closed(10), opened(50), closed(60), opened(100), closed(160))

    healed = [row["until_ns"] for row in said.recoveries.to_pylist() if row["partition"] == 0]
    assert healed == [60 * MS, 160 * MS]


def test_times_at_the_ends_of_what_a_record_may_hold_are_measured(judged: Judged) -> None:
    far = 1 << 62
    rows = [
        send(1, 1, (-far, -far)),
        send(2, 2, (-far, far)),
        look(-far, 1, 0, 0, leader=-1, isr=""),
        look(far, 1, 0, 0, isr="1"),
    ]

    row = only(judged(rows, {**opened(0), "at_ns": -far}))

    whole_ms = pytest.approx(2 * far / MS)
    names = ("first_ack_ms", "silent_ms", "leaderless_ms", "full_isr_ms")
    assert [row[name] for name in names] == [whole_ms] * 4


def test_a_run_that_is_judged_in_parts_recovers_alike(
    write_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [*range(100), *range(1 << 17, (1 << 17) + 100)]
    sent = [acked(value, at * 7 % 3000, at * 7 % 3000 + 9) for at, value in enumerate(values)]
    run = write_run(tmp_path / "run", [*sent, *looks((0, 1, "1,2,3"), (700, -1, "2,3"))])
    monkeypatch.setattr(judging, "WHOLE_ROWS", -1)
    monkeypatch.setattr(judging, "PART_ROWS", 90)

    whole = judgement_under(run, [opened(500)]).recoveries
    (in_parts,) = judging.judge_claims([run], catalogue.claims()).values()

    assert in_parts.recoveries.equals(whole)
    assert whole.num_rows == 2


def test_check_has_a_line_for_each_fault_and_the_same_for_machines(
    judged: Judged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = judged(STEADY, {**opened(50), "fault": "Kill(\x1b[1m)"})
    run: RunAt[Place] = open_run(tmp_path / "run")

    shown(run, said, as_json=False)
    text = " ".join(capsys.readouterr().out.split())
    shown(run, said, as_json=True)
    (told,) = json.loads(capsys.readouterr().out)

    client, _, fault = text.partition("producer on orders: 3 acked; ")[2].partition(" Kill")
    assert client.endswith("longest gap 100.0 ms")
    assert fault == (r"(\x1b[1m) at 0.1 s, on orders: first ack after 55.0 ms; silent 0.0 ms")
    assert [(row["partition"], row["first_ack_ms"]) for row in told["recoveries"]] == [(None, 55)]


def shown(run: RunAt[Place], said: Judgement, *, as_json: bool) -> None:
    checking._show([run], {run.path: said}, {}, as_json=as_json)
