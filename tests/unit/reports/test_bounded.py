"""A record of more rows than fit on a page: what is around anomalies is drawn, and said to be."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.bench.long_records import PARTITIONS, TOPIC, write_long_record

from highwater.harness.model import Answer, Verdict
from highwater.harness.record.files import write_parquet
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import write_verdicts
from highwater.harness.tables import TABLES
from highwater.reports import write_report
from highwater.reports.bounded import MOST_ROWS, asked_of
from highwater.reports.contents import load
from highwater.reports.samples import changes

RECORDS, LOST = 150_000, 70_000  # rows of history: twice as many


@pytest.fixture
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


def test_looks_are_whole_for_the_partitions_that_are_drawn(run: Path) -> None:
    looks, brokers = 6_000, 3
    at, shape = np.arange(looks), PARTITIONS * brokers
    rows = {
        "at_ns": np.repeat(at, shape),
        "broker": np.tile(np.arange(brokers), looks * PARTITIONS),
        "topic": pa.repeat(TOPIC, looks * shape),
        "partition": np.tile(np.repeat(np.arange(PARTITIONS), brokers), looks),
        "log_end_offset": np.repeat(at, shape),
    }
    schema = TABLES["replica_states"]
    told = [rows.get(name, pa.nulls(looks * shape)) for name in schema.names]
    columns = [pa.array(each).cast(of) for each, of in zip(told, schema.types, strict=True)]
    table = pa.table(columns, names=schema.names)
    for number, start in enumerate(range(0, len(table), 90_000)):
        part = run / "replica_states" / f"part-{number:06d}.parquet"
        write_parquet(part, table.slice(start, 90_000))

    contents = load(open_run(run))

    drawn = changes(contents, (TOPIC, LOST % PARTITIONS))
    assert len(table) > MOST_ROWS
    assert max(each.log_end_offset or 0 for each in drawn) == looks - 1
    assert len(drawn) == looks * brokers
    assert len(contents.partitions("replica_states")) == PARTITIONS
    assert "what is of the partitions that are drawn" in contents.left_out[1]


@pytest.mark.parametrize("number", [1 << 63, 1 << 80, -(1 << 70)])
def test_a_witness_with_a_number_that_no_table_has_is_passed_over(number: int) -> None:
    found = {"topic": TOPIC, "partition": number, "offset": number, "value": number}
    told = {"claim": "unseen", "answer": Answer.VIOLATED, "considered": 1, "anomalies": 1}

    asked = asked_of([Verdict(**told, reason="", witnesses=[found])])  # type: ignore[arg-type]

    assert (asked.values, asked.offsets, asked.partitions) == (set(), set(), set())


def test_what_is_counted_is_counted_in_all_of_it(run: Path) -> None:
    import pyarrow.compute as pc  # noqa: PLC0415 - beside its use

    assert load(open_run(run)).count("history", pc.field("action") == "send") == RECORDS
