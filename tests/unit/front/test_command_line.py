"""A mistake on the command line is one message on standard error, and the right exit code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from highwater import cli, console
from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.writer import RunRecord

SCENARIO = "kip101-loss-strict"
WRONG, NOT_POSSIBLE = 2, 3


@dataclass(frozen=True)
class Mistake:
    line: str  # {tmp} stands for a directory of the test's own
    code: int
    said: tuple[str, ...]


MISTAKES = {
    "unknown version": Mistake(
        f"run {SCENARIO} --kafka 3.9.l --out {{tmp}}/new",
        WRONG,
        ("no Kafka '3.9.l' in the catalogue", "3.9.1", "highwater list versions"),
    ),
    "unknown scenario": Mistake(
        "run kip101-los-strict --kafka 0.10.2.2", WRONG, ("no scenario", SCENARIO)
    ),
    "unknown control": Mistake(
        f"run {SCENARIO} --kafka 3.9.1-zk --control acks=1", WRONG, ("unknown control 'acks=1'",)
    ),
    "control that applies nowhere": Mistake(
        "compare --kafka 4.1.1 --control ibp=0.11.0-IV1",
        WRONG,
        ("applies to none of", "4.1.1; it needs a Kafka with ZooKeeper"),
    ),
    "an upgrade in containers": Mistake(
        "compare -s upgrade-kip101-format --kafka 0.10.2.2 --backend docker",
        WRONG,
        ("upgrades its cluster to 0.11.0.3", "needs --backend process"),
    ),
    "two voters": Mistake("up 4.1.1 --voters 2", WRONG, ("one voter or three, not 2",)),
    "run without a kafka": Mistake(f"run {SCENARIO}", WRONG, ("run plays on one Kafka",)),
    "a project of which nobody says that it is theirs": Mistake(
        f"run {SCENARIO} --attach compose:nobody --out {{tmp}}/new",
        WRONG,
        ("say that this may be done to them: --i-own-this-cluster",),
    ),
    "less of the ladder, and more of it": Mistake(
        "matrix --fast --ends", WRONG, ("expected --fast or --ends, saw both",)
    ),
    "compare without a kafka": Mistake("compare", WRONG, ("no Kafka named", "--kafka-dir PATH")),
    "out that cannot be made": Mistake(
        f"run {SCENARIO} --kafka 0.10.2.2 --out {{tmp}}/file/out", WRONG, ("cannot write to",)
    ),
    "a word for several on one Kafka": Mistake(
        f"run {SCENARIO} -k ladder --offline",
        WRONG,
        ("run plays on one Kafka", "'ladder'", "compare"),
    ),
    "out that holds what is not ours": Mistake(
        f"run {SCENARIO} --kafka 0.10.2.2 --offline --out {{tmp}}/damaged",
        WRONG,
        ("damaged is not empty: it holds run.json",),
    ),
    "out that is to be resumed and is not ours": Mistake(
        f"compare -s {SCENARIO} -k 0.10.2.2 --offline --out {{tmp}}/mine --resume",
        WRONG,
        ("mine is not empty: it holds libs", "nothing to resume"),
    ),
    "out that holds results": Mistake(
        f"run {SCENARIO} --kafka 0.10.2.2 --out {{tmp}}/used", WRONG, ("already holds results",)
    ),
    "directory without a kafka": Mistake(
        f"run {SCENARIO} --kafka-dir {{tmp}}", WRONG, ("expected an unpacked Kafka distribution",)
    ),
    "offline with nothing cached": Mistake(
        f"run {SCENARIO} --kafka 0.10.2.2 --offline --out {{tmp}}/offline",
        NOT_POSSIBLE,
        ("highwater fetch 0.10.2.2",),
    ),
    "check of what is no run": Mistake(
        "check {tmp}/mine", NOT_POSSIBLE, ("no run.json in", "is it a run directory?")
    ),
    "check of nothing": Mistake("check {tmp}/nowhere", NOT_POSSIBLE, ("is not a directory",)),
    "check of a newer schema": Mistake(
        "check {tmp}/newer", NOT_POSSIBLE, (f"has schema {SCHEMA_VERSION + 1}",)
    ),
    "check of a claim that nobody knows": Mistake(
        "check {tmp}/old --claim lost-wirte", WRONG, ("no claim lost-wirte", "lost-write")
    ),
    "report of a damaged run": Mistake(
        "report {tmp}/damaged", NOT_POSSIBLE, ("run.json cannot be read",)
    ),
    "report of what is elsewhere": Mistake(
        "report hdfs://host/runs", WRONG, ("report draws runs of this machine", "hdfs:/host/runs")
    ),
    "report of nothing": Mistake("report {tmp}/nowhere", WRONG, ("there is no", "nowhere")),
    "report of a file": Mistake("report {tmp}/file", WRONG, ("file is not a directory",)),
    "ladder of nothing": Mistake(
        "ladder {tmp}/nowhere --svg {tmp}/l.svg", WRONG, ("there is no", "nowhere")
    ),
    "ladder of a file": Mistake(
        "ladder {tmp}/file --svg {tmp}/l.svg", WRONG, ("file is not a directory",)
    ),
    "check of nothing named": Mistake("check", WRONG, ("Missing argument 'PLACE'",)),
    "list of nonsense": Mistake("list nonsense", WRONG, ("cannot list 'nonsense'", "faults")),
    "unknown option": Mistake("doctor --loud", WRONG, ("--loud",)),
    "trials out of range": Mistake(f"run {SCENARIO} -k 0.10.2.2 -n 0", WRONG, ("--trials",)),
    **{
        f"port {port} of {command}": Mistake(f"{command} --port {port}", WRONG, ("--port",))
        for command in ("up 4.1.1 --offline", "compose 4.1.1")
        for port in (-1, 0, 1023, 65_001, 65_535, 70_000, "9" * 30)
    },
    "more shards than anybody has": Mistake(
        f"compare -s {SCENARIO} -k 0.10.2.2 --offline --shard 1/{'9' * 5000}",
        WRONG,
        ("--shard", "1/2"),
    ),
    "more in sync than a setting can say": Mistake(
        f"run {SCENARIO} -k 0.10.2.2 --offline --control min-isr={'9' * 12}",
        WRONG,
        ("unknown control",),
    ),
    "a release with more digits than a number": Mistake(
        f"run {SCENARIO} --offline -k 9.9.{'9' * 5000}", WRONG, ("no Kafka",)
    ),
    "a subnet that is none": Mistake(
        "compose 4.1.1 --subnet 10.256.8.0/24", WRONG, ("--subnet '10.256.8.0/24'",)
    ),
}


def furnish(tmp: Path) -> None:
    """The files that the mistakes are about."""
    (tmp / "file").touch()
    (tmp / "used" / "runs").mkdir(parents=True)
    (tmp / "mine" / "libs").mkdir(parents=True)
    (tmp / "mine" / "libs" / "kafka_2.13-3.9.1.jar").touch()
    with RunRecord(tmp / "old", {}):
        pass
    for name, content in {
        "newer": json.dumps({"schema": SCHEMA_VERSION + 1}),
        "damaged": '{"schema": 1',
    }.items():
        (tmp / name).mkdir()
        (tmp / name / "run.json").write_text(content)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with the files that the mistakes are about, and nothing cached."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    for number, handler in handlers.items():
        signal.signal(number, handler)


def assert_one_message(mistake: Mistake, code: int, stdout: str, stderr: str) -> None:
    assert code == mistake.code, stderr
    assert all(part in stderr for part in mistake.said), stderr
    assert stderr.lower().count("error") == 1
    assert "Traceback" not in stderr
    assert not stdout


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_message_and_its_exit_code(
    mistake: Mistake,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = set(workplace.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["highwater", *mistake.line.format(tmp=workplace).split()])

    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert isinstance(ended.value.code, int)
    assert_one_message(mistake, ended.value.code, *capsys.readouterr())
    left = {path.name for path in set(workplace.rglob("*")) - before}
    assert left <= {"offline"}  # the empty --out of a run that could have begun


def test_the_installed_command_says_it_as_well(workplace: Path) -> None:
    mistake = MISTAKES["list of nonsense"]
    command = [str(Path(sys.executable).with_name("highwater")), *mistake.line.split()]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert_one_message(mistake, done.returncode, done.stdout, done.stderr)


def test_what_a_record_is_called_moves_no_cursor() -> None:
    assert console.printable("a\ud800\x1b") == "a\\ud800\\x1b"
    assert console.printable("a\x1b[31mb\r\nc\u202ed") == "a\\x1b[31mb\\r\nc\\u202ed"
