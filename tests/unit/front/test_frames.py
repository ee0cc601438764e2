"""Recorded runs as pandas frames, and as a notebook shows them."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pyarrow as pa
import pytest
from tests.unit.reports import kip101

import highwater
from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.record.writer import write_measures

OLD, NEW = kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)
COUNTS = {"acked": 11, "failed": 0, "unknown": 0, "handed": 0}
LOAD = {"client": "<load>", "topic": "t", **COUNTS, "ack_p50_ms": 2.5}
FAULT = {"fault_id": "1", "fault": "Kill(1)", "from_ns": 0, "sent_on": True, "topic": "t"}


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    for trial in (OLD, NEW):
        kip101.write(tmp_path, trial)
    write_measures(
        tmp_path / OLD.path,
        pa.Table.from_pylist([LOAD, {**LOAD, "second": 0}, {**LOAD, "partition": 0}], MEASURES),
        pa.Table.from_pylist([FAULT], RECOVERIES),
        pa.Table.from_pylist([], REBALANCES),
        pa.Table.from_pylist([], LAGS),
    )
    return tmp_path


def test_verdicts_of_all_runs_are_one_frame(compared: Path) -> None:
    frames = highwater.read(compared)

    assert [*frames.runs["kafka"]] == ["0.10.2.2", "0.11.0.3"]
    assert {*frames.verdicts["run"]} == {OLD.path, NEW.path}
    assert {*frames.violated["run"]} == {OLD.path}
    (lost,) = frames.violated[frames.violated["claim"] == "lost-write"].to_dict("records")
    assert (lost["subject"], lost["anomalies"]) == (kip101.SCENARIO, 10)
    assert lost["witnesses"]


def test_measures_and_recoveries_say_whose_they_are(compared: Path) -> None:
    frames = highwater.read(compared)

    assert len(frames.measures) == 3
    (row,) = frames.clients.to_dict("records")
    assert (row["run"], row["client"], row["acked"]) == (OLD.path, "<load>", 11)
    assert [*frames.recoveries["fault"]] == ["Kill(1)"]
    assert [*frames.lags.columns][:4] == ["run", "subject", "kafka", "control"]
    assert len(frames.lags) == 0


def test_a_notebook_shows_what_is_violated_and_what_clients_achieved(compared: Path) -> None:
    shown = highwater.read(compared)._repr_html_()

    assert "<strong>2 runs</strong>: 1 violated claim" in shown
    assert "lost-write" in shown
    assert "&lt;load&gt;" in shown
    assert "<load>" not in shown


def test_a_notebook_draws_a_run_as_the_report_does(compared: Path) -> None:
    charts = highwater.read(compared).charts

    assert [*charts] == [OLD.path, NEW.path]
    assert charts[OLD.path].title == f"{kip101.SCENARIO} on Kafka 0.10.2.2"
    shown = charts[OLD.path]._repr_html_()
    page = unescape(shown)
    assert re.match(
        r'<iframe title="[^"]+" sandbox="" style="[^"]+" srcdoc="[^"]+"></iframe>$', shown
    )
    assert page.count('<svg class="timeline"') == 1
    assert page.count('<svg class="watermarks"') == 1
    assert "<script" not in page


def test_a_run_alone_is_read_and_what_is_none_is_refused(compared: Path, tmp_path: Path) -> None:
    assert len(highwater.read(str(compared / NEW.path)).runs) == 1

    with pytest.raises(RecordError, match="is not a directory"):
        highwater.read(tmp_path / "nowhere")
