"""A record is judged the same wherever Hadoop finds it, and what is wrong is told the same."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.bench.long_records import write_long_record
from tests.checkers.conftest import HIGHWATER, done
from tests.garden import clean
from tests.planted import PLANTS

from highwater.checkers import hadoop, inputs
from highwater.checkers import judge as judging
from highwater.checkers.hadoop import place_at
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.processes.ports import Ports
from highwater.harness.record.reader import find_runs
from highwater.harness.record.writer import write_verdicts

pytestmark = pytest.mark.spark

ODD = "a b,c{d,e}[f]*g?h%20#&+é"  # none of it may be taken for a pattern


def cut(part: Path) -> None:
    """Into several parts, of several row groups each."""
    whole = pq.ParquetFile(part).read()
    for number in range(0, len(whole), 90):
        piece = part.with_name(f"part-{10_000 + number:06d}.parquet")
        pq.write_table(whole.slice(number, 90), piece, row_group_size=30)
    part.unlink()


def judged(where: str) -> dict[str, bytes]:
    """The verdicts as they are written there; they are taken away again."""
    runs = find_runs(place_at(where))
    said = judging.judge(runs)
    for run in runs:
        write_verdicts(run.path, said[run.path])
    here = Path(where.removeprefix("file://"))
    written = {str(path.relative_to(here)): path for path in here.rglob("verdicts.json")}
    assert len(written) == len(runs)
    assert not list(here.rglob(".*"))
    found = {name: path.read_bytes() for name, path in written.items()}
    for path in written.values():
        path.unlink()
    return found


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every anomaly that there is, and a run without any, in parts that are cut differently."""
    place = tmp_path_factory.mktemp("records") / ODD
    garden = clean(60, 3, seed=7)
    for plant in PLANTS.values():
        plant(garden)
    garden.write(place / "runs" / "planted")
    cut(place / "runs" / "planted" / "history" / "part-000001.parquet")
    cut(place / "runs" / "planted" / "replica_logs" / "part-000000.parquet")
    clean(60, 3).write(place / "clean")
    return place


@pytest.mark.parametrize("whole_rows", [judging.WHOLE_ROWS, 0])
def test_the_verdicts_are_the_same_byte_for_byte(
    records: Path, whole_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "WHOLE_ROWS", whole_rows)
    monkeypatch.setattr(judging, "PART_ROWS", 400)
    monkeypatch.setattr(judging, "AT_ONCE_ROWS", 200)

    expected = judged(str(records))

    assert b"VIOLATED" not in expected["clean/verdicts.json"]
    assert expected["runs/planted/verdicts.json"].count(b"VIOLATED") == len(PLANTS)
    assert judged(f"file://{records}") == expected


def _truncate(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-20])


def _damage_pages(part: Path) -> None:
    content = part.read_bytes()
    part.write_bytes(content[:100] + b"\xff" * 400 + content[500:])


def _narrow(part: Path) -> None:
    pq.write_table(pq.ParquetFile(part).read().drop_columns(["partition"]), part)


def _copy(part: Path) -> None:
    shutil.copy(part, part.with_name("part-000009.parquet"))


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "truncated": (_truncate, "part-000000.parquet cannot be read"),
    "pages": (_damage_pages, "part-000000.parquet cannot be read"),
    "narrow": (_narrow, "part-000000.parquet has no column partition"),
    "twice": (_copy, "part-000009.parquet has the same content as part-000000.parquet"),
}


@pytest.mark.parametrize("whole_rows", [judging.WHOLE_ROWS, 0])
def test_what_is_damaged_is_told_in_the_same_words(
    tmp_path: Path, whole_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "WHOLE_ROWS", whole_rows)
    for name, (damage, _) in DAMAGES.items():
        clean(60, 3).write(tmp_path / name)
        for table in ("history", "replica_ends"):
            damage(tmp_path / name / table / "part-000000.parquet")

    expected = judged(str(tmp_path))
    found = judged(f"file://{tmp_path}")

    for name, (_, reason) in DAMAGES.items():
        assert reason in expected[f"{name}/verdicts.json"].decode()
    assert {name: text.replace(b"file:/", b"/") for name, text in found.items()} == expected


def test_of_a_part_the_driver_reads_the_footer_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_long_record(tmp_path / "run", 60_000)
    read: list[int] = []
    readinto = hadoop.Stream.readinto

    def counted(stream: hadoop.Stream, buffer: memoryview) -> int:
        read.append(readinto(stream, buffer))
        return read[-1]

    monkeypatch.setattr(hadoop.Stream, "readinto", counted)
    whole = (tmp_path / "run" / "history" / "part-000000.parquet").stat().st_size

    (run,) = find_runs(place_at(f"file://{tmp_path}"))
    looked = inputs.look_at(run)

    assert looked.rows > 60_000
    assert 0 < sum(read) < whole


def test_a_part_that_no_task_can_take_in_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean(60, 1).write(tmp_path / "run")
    monkeypatch.setattr(inputs, "LARGEST_BROUGHT", 1000)

    (run,) = find_runs(place_at(f"file://{tmp_path}"))

    assert "bytes, and no task" in inputs.look_at(run).unreadable["history"]


@pytest.mark.parametrize(
    ("where", "refused", "said"),
    [
        (
            "file://{tmp}/nowhere",
            RecordError,
            "file:{tmp}/nowhere is not a directory; expected a run",
        ),
        ("file://{tmp}/file", RecordError, "file:{tmp}/file is not a directory; expected a run"),
        ("file://{tmp}", RecordError, "no run.json in file:{tmp} or below it"),
        ("moon://tycho/run", UsageError, 'No FileSystem for scheme "moon"'),
        ("s3a://bucket/run", UsageError, "org.apache.hadoop.fs.s3a.S3AFileSystem not found"),
        ("hdfs://127.0.0.1:{port}/run", RecordError, "Connection refused"),
        ("hdfs:///run", RecordError, "Incomplete HDFS URI, no host: hdfs:///run"),
    ],
)
def test_a_place_that_cannot_be_is_told_in_a_sentence(
    tmp_path: Path, where: str, refused: type[Exception], said: str
) -> None:
    (tmp_path / "file").touch()
    with Ports() as ports:
        port = ports.free()

        with pytest.raises(refused, match=re.escape(said.format(tmp=tmp_path))) as told:
            find_runs(place_at(where.format(tmp=tmp_path, port=port)))

    assert "\n" not in str(told.value)


def test_the_command_judges_here_and_elsewhere_at_once(tmp_path: Path) -> None:
    garden = clean(60, 3)
    PLANTS["lost-write"](garden)
    for name in ("here", "elsewhere"):
        garden.write(tmp_path / name)
    places = [str(tmp_path / "here"), f"file://{tmp_path / 'elsewhere'}"]

    said = done(*HIGHWATER, "check", *places, "--json", "--cross-check")

    assert said.returncode == 1, said.stdout + said.stderr
    here, elsewhere = json.loads(said.stdout)
    assert (here["run"], elsewhere["run"]) == (places[0], f"file:{tmp_path / 'elsewhere'}")
    assert here["verdicts"] == elsewhere["verdicts"]
    assert "agrees on every verdict of 2 runs" in said.stderr


def test_what_has_no_scheme_lies_on_this_machine() -> None:
    assert place_at("runs/a:b") == Path("runs/a:b")
