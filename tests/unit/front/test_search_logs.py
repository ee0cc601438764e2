"""Rows of a search's log are taken as they are written, and what is another is refused in words."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Manager
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.harness.errors import UsageError
from highwater.search_log import Part, append, open_search, read_log, require_same, row_of

LOG = Part().log
TOLD = {"kafka": "0.10.2.2", "seed": 1, "strategy": "guided", "moves": "gentle"}
PLAYED = Round(taken=(Taken(Step(Cut(2)), ("a",), ("b",), 1),), finding=Finding(), seconds=1.25)
ROW = row_of(7, PLAYED, 2, 180.5)
DEEP = "[" * 100_000
BEGUN_S = 30


def refused(tmp_path: Path, line: str) -> str:
    """In which words, behind a row that is as it should be."""
    log = tmp_path / LOG
    log.write_text(f"{json.dumps(ROW)}\n{line}\n", encoding="utf-8")
    with pytest.raises(UsageError) as error:
        list(read_log(log))
    head, is_there, why = str(error.value).partition(f"line 2 of {log} is of no schedule: ")
    assert (head, bool(is_there)) == ("", True)
    assert "\n" not in why
    return why


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("number", ["7", True, 7.0, 7.5, None, [7], 0, -1, 1 << 70]),
        ("claims", ["lost-write", {"lost-write": 1}, [1], None]),
        ("told", [1, None, ["gone"]]),
        ("settled", [1, "true", None]),
        ("seconds", ["1.5", True, None, -1, float("nan"), float("inf")]),
        ("steps", ["cut", {"move": "cut"}, 7, None]),
        ("by", [1, None]),
        ("danger", [1.0, "1", True]),
        ("news", ["1", 1.5]),
        ("resident_mib", ["180", True]),
        ("failures", ["none", [1]]),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_file_and_row(
    tmp_path: Path, name: str, values: list[Any]
) -> None:
    for value in values:
        why = refused(tmp_path, json.dumps({**ROW, name: value}))

        assert why.startswith(f"expected {name} to be ")


@pytest.mark.parametrize("step", [7, "cut", {"move": "fly"}, {"move": "cut", "broker": "2"}])
def test_a_step_that_is_none_is_refused_with_its_file_and_row(tmp_path: Path, step: Any) -> None:
    assert "expected" in refused(tmp_path, json.dumps({**ROW, "steps": [step]}))


@pytest.mark.parametrize(
    "line",
    [DEEP, f'{{"number": {DEEP}{"]" * 100_000}}}', f'{{"number": {"1" * 5_000}}}', "[]", "7"],
    ids=["cut short", "deep", "many digits", "a list", "a number"],
)
def test_json_that_python_does_not_read_is_refused_as_well(tmp_path: Path, line: str) -> None:
    assert refused(tmp_path, line)


def test_a_row_of_an_older_search_says_less_and_is_taken(tmp_path: Path) -> None:
    lacks = ("by", "danger", "news", "resident_mib", "failures")
    old = {name: value for name, value in ROW.items() if name not in lacks}
    (tmp_path / LOG).write_text(json.dumps(old) + "\n", encoding="utf-8")

    ((number, told),) = read_log(tmp_path / LOG)

    assert (number, told.taken, told.by) == (7, list(PLAYED.taken), "")


def test_a_search_to_line_up_with_is_read_before_anything_is_played(tmp_path: Path) -> None:
    out = open_search(tmp_path, TOLD)
    append(out, {**ROW, "number": "7"})

    with pytest.raises(UsageError, match=r"line 1 of .*rounds\.jsonl is of no schedule"):
        require_same(out, TOLD)


@pytest.mark.parametrize("text", [DEEP, "{", "\udcff"])
def test_a_search_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    open_search(tmp_path, TOLD)
    (tmp_path / "search.json").write_text(text, encoding="utf-8", errors="surrogateescape")

    with pytest.raises(UsageError, match=r"search\.json cannot be read"):
        open_search(tmp_path, TOLD)


def begun(place: tuple[Path, Barrier, int]) -> bool:
    """Whether a part began its search, at the moment at which the other one does."""
    out, together, seed = place
    together.wait(BEGUN_S)
    try:
        open_search(out, {**TOLD, "seed": seed}, Part(seed, 2))
    except UsageError:
        return False
    return True


def test_two_parts_may_begin_at_one_moment(tmp_path: Path) -> None:
    """And of two searches that are not the same one is refused."""
    with Manager() as manager, ProcessPoolExecutor(2) as pool:
        for number in range(20):
            together = manager.Barrier(2)
            alike = [(tmp_path / f"alike-{number}", together, 1)] * 2
            assert [*pool.map(begun, alike)] == [True, True]
            others = [(tmp_path / f"others-{number}", together, seed) for seed in (1, 2)]
            assert sorted(pool.map(begun, others)) == [False, True]


def test_what_is_there_while_somebody_begins_is_nothing_else(tmp_path: Path) -> None:
    for name in (".writable", ".search.json.7.partial"):
        (tmp_path / name).touch()

    assert open_search(tmp_path, TOLD) == tmp_path


@pytest.mark.parametrize(
    ("before", "now", "log"),
    [
        (Part(), Part(1, 2), "rounds.jsonl"),
        (Part(1, 2), Part(), "rounds-1of2.jsonl"),
        (Part(1, 2), Part(1, 3), "rounds-1of2.jsonl"),
    ],
)
def test_schedules_are_dealt_to_parts_as_they_were_before(
    tmp_path: Path, before: Part, now: Part, log: str
) -> None:
    append(open_search(tmp_path, TOLD, before), ROW, before)

    with pytest.raises(UsageError, match=f"holds {log}, of a search in other parts"):
        open_search(tmp_path, TOLD, now)


def test_parts_that_have_played_nothing_yet_are_parts_all_the_same(tmp_path: Path) -> None:
    open_search(tmp_path, TOLD, Part(1, 2))

    with pytest.raises(UsageError, match=r"rounds-1of2\.jsonl, of a search in other parts"):
        open_search(tmp_path, TOLD, Part(1, 3))
    assert open_search(tmp_path, TOLD, Part(2, 2)) == tmp_path


def test_a_disk_that_is_full_is_told_in_words_and_nothing_is_left(tmp_path: Path) -> None:
    """No file of the process may grow, as on a full disk."""
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from highwater.search_log import open_search\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "try: open_search(Path(sys.argv[1]), {'seed': 1})\n"
        "except Exception as error: sys.stdout.write(f'{type(error).__name__}: {error}')\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "out")]

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as done:
        told, _ = done.communicate(timeout=BEGUN_S)

    assert told.startswith("UsageError: "), told
    assert "cannot be written to: File too large" in told
    assert list((tmp_path / "out").iterdir()) == []
