"""Producers whose id or epoch has changed, and those that stayed who they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from highwater.drawing import report
from highwater.harness.record.files import write_parquet
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import TABLES
from highwater.reports.contents import load
from highwater.reports.producers import MOST, Producers, producers

SECOND_NS = 10**9


def batch(at_s: int, epoch: int, number: int = 90, **more: Any) -> dict[str, Any]:
    row = {"asked_ns": at_s * SECOND_NS, "answered_ns": None, "broker": 1, "client": "load"}
    row |= {"topic": "orders", "partition": 0, "producer_id": number, "epoch": epoch}
    row |= {"base_sequence": 0, "records": 10, "acks": "all", "error_code": 0}
    return {**row, **more}


def given(epoch: int, error: int = 0) -> dict[str, Any]:
    row = {"asked_ns": 0, "broker": 1, "client": "load", "producer_id": 90, "epoch": epoch}
    return {**row, "error_code": error}


def write(path: Path, batches: list[dict[str, Any]], ids: list[dict[str, Any]]) -> Path:
    with RunRecord(path, {"scenario": "literal", "kafka": "4.1.1"}) as record:
        record.event("step", "it begins")
        record.end({"complete": True, "reason": None, "seconds": 1.0})
    for table, rows in (("batches", batches), ("producer_ids", ids)):
        told = pa.Table.from_pylist(rows, schema=TABLES[table])
        write_parquet(path / table / "part-000000.parquet", told)
    return path


def shown(path: Path, batches: list[dict[str, Any]], *ids: dict[str, Any]) -> Producers:
    return producers(load(open_run(write(path, batches, list(ids))), brief=False))


def test_a_producer_under_another_epoch_is_listed_with_what_it_sent_under_each(
    tmp_path: Path,
) -> None:
    batches = [
        batch(3, 1, base_sequence=0),
        batch(1, 0, base_sequence=20),
        batch(2, 0, base_sequence=30, error_code=45),
        batch(2, 0, base_sequence=40, error_code=None),
    ]

    found = shown(tmp_path / "run", batches, given(0), given(1, error=47)).stays

    said = [(each.epoch, each.first_sequence, each.batches, each.refused) for each in found]
    assert said == [(0, 20, 3, 2), (1, 0, 1, 0)]
    assert [each.is_given for each in found] == [True, False]
    assert [each.from_ns for each in found] == [SECOND_NS, 3 * SECOND_NS]


def test_who_stays_who_it_was_or_is_nobody_is_not_listed(tmp_path: Path) -> None:
    batches = [batch(1, 0), batch(2, 0)]
    batches += [batch(at, -1, -1, client="plain") for at in (1, 2)]
    batches += [batch(at, at, client=None) for at in (1, 2)]

    assert shown(tmp_path / "run", batches).stays == []


def test_two_clients_with_an_id_each_have_not_changed(tmp_path: Path) -> None:
    batches = [batch(1, 0), batch(1, 0, 91, client="other")]

    assert shown(tmp_path / "run", batches).stays == []


def test_of_very_many_epochs_the_first_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    found = shown(tmp_path / "run", [batch(each, each) for each in range(MOST + 5)])

    assert (len(found.stays), found.left_out) == (MOST, 5)


def test_the_page_has_a_table_of_them_where_there_are_any(tmp_path: Path) -> None:
    changed = write(tmp_path / "changed" / "run", [batch(1, 0), batch(2, 1)], [given(0)])
    stayed = write(tmp_path / "stayed" / "run", [batch(1, 0), batch(2, 0)], [given(0)])

    for each in (changed, stayed):
        report([each], None, as_json=True)

    pages = [(each / "report.html").read_text(encoding="utf-8") for each in (changed, stayed)]
    said = ["Producers with another id or epoch</h5>" in page for page in pages]
    assert said == [True, False]
    assert "<td>no InitProducerId</td>" in pages[0]
