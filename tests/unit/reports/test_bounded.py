"""A record of more rows than fit on a page: what is around anomalies is drawn, and said to be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.bench.long_records import PARTITIONS, TOPIC, write_long_record

from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import write_verdicts
from highwater.reports import write_report
from highwater.reports.contents import load

RECORDS, LOST = 150_000, 70_000  # rows of history: twice as many


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The value that was never read is what the judge names."""
    path = write_long_record(tmp_path_factory.mktemp("long") / "run", RECORDS, LOST + 1)
    witness = {
        "topic": TOPIC,
        "partition": LOST % PARTITIONS,
        "offset": LOST // PARTITIONS,
        "value": LOST,
    }
    found = Verdict(
        claim="unseen",
        answer=Answer.VIOLATED,
        considered=RECORDS,
        anomalies=1,
        reason="1 of them",
        witnesses=[witness],
    )
    write_verdicts(path, [found])
    return path


def test_of_the_history_what_is_around_an_anomaly_is_kept(run: Path) -> None:
    contents = load(open_run(run))

    history = contents.tables["history"]
    assert contents.excerpts["history"].of == open_run(run).row_count("history") > 2 * RECORDS - 9
    assert len(history) < 1000
    assert LOST in history["value"].to_pylist()
    place = LOST // PARTITIONS
    assert {place - 3, place + 3} <= {*history["offset"].to_pylist()}
    assert "end" in history["action"].to_pylist()


def test_the_page_says_so_and_says_nothing_of_what_it_has_not_read(run: Path) -> None:
    html = write_report(run, [], [open_run(run)]).read_text(encoding="utf-8")

    shown = re.sub(r"<[^>]+>", " ", html)
    assert re.search(r"Large\.\s+history has 300,0\d\d rows, of which [\d,]+ are drawn here", shown)
    assert f"value {LOST}" in shown
    assert "acknowledged, not in this log" in shown  # the legend, and no count of such records
    assert not re.search(r"acknowledged records? \(acks=", shown)
    assert "Every replica agrees" not in shown
    assert len(html) < 300_000


def test_what_is_counted_is_counted_in_all_of_it(run: Path) -> None:
    import pyarrow.compute as pc  # noqa: PLC0415 - beside its use

    assert load(open_run(run)).count("history", pc.field("action") == "send") == RECORDS
