"""Ten slices have every long test once, are of one length, and take turns from commit to commit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import slices
from tests.slices import Slice

Git = Callable[..., str]
UNITS = {f"tests/cluster/test_one.py[{number}]": 10.0 + number for number in range(40)}


def test_every_unit_is_in_one_of_the_slices_and_in_one_only() -> None:
    places = slices.dealt(UNITS, 10)

    assert set(places) == set(UNITS)
    assert set(places.values()) == set(range(1, 11))


def test_slices_are_of_one_length_as_far_as_units_allow() -> None:
    places = slices.dealt({**UNITS, "tests/docker/long": 100.0}, 10)

    sums = [
        sum(UNITS.get(unit, 100.0) for unit, place in places.items() if place == number)
        for number in range(1, 11)
    ]
    assert max(sums) - min(sums) <= max(UNITS.values())


def test_what_is_played_beside_the_brokers_fills_up_and_moves_nothing() -> None:
    beside = {f"tests/checkers/{name}": 500.0 for name in "abcdefgh"}

    places = slices.dealt({**beside, **UNITS}, 10)

    assert {unit: places[unit] for unit in UNITS} == slices.dealt(UNITS, 10)


def test_a_unit_that_nobody_has_measured_is_in_one_slice_all_the_same() -> None:
    places = slices.dealt(UNITS, 10)

    numbers = {slices.number_of(f"tests/new.py::test_{name}", places, 10) for name in range(100)}

    assert numbers == set(range(1, 11))
    assert slices.number_of("tests/new.py", places, 10) == slices.number_of(
        "tests/new.py", places, 10
    )


@pytest.fixture
def repository(tmp_path: Path) -> Git:
    """A repository of its own, on a branch `main`."""

    def git(*words: str, at: Path = tmp_path / "origin") -> str:
        named = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        done = subprocess.run(
            ["git", *named, *words], cwd=at, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    (tmp_path / "origin").mkdir()
    git("init", "--quiet", "--initial-branch", "main")
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    return git


def test_twenty_commits_in_a_row_play_every_slice_merges_among_them(repository: Git) -> None:
    played = []
    for number in range(slices.SLICES):
        if number % 3:
            repository("commit", "--quiet", "--allow-empty", "-m", "one more")
        else:
            repository("checkout", "--quiet", "-b", f"branch-{number}")
            for _ in range(number + 1):
                repository("commit", "--quiet", "--allow-empty", "-m", "beside")
            repository("checkout", "--quiet", "main")
            repository("merge", "--quiet", "--no-ff", "-m", "merged", f"branch-{number}")
        played.append(slices.chosen_by_commit(repository)[0])

    assert {each.number for each in played} == set(range(1, slices.SLICES + 1))
    assert {each.of for each in played} == {slices.SLICES}


def test_a_shallow_clone_takes_the_hash_for_it_cannot_count(
    repository: Git, tmp_path: Path
) -> None:
    repository("commit", "--quiet", "--allow-empty", "-m", "second")
    repository("clone", "--quiet", "--depth", "1", f"file://{tmp_path}/origin", "../shallow")
    commit = repository("rev-parse", "HEAD")

    chosen, why = slices.chosen_by_commit(
        lambda *words: repository(*words, at=tmp_path / "shallow")
    )

    assert chosen == Slice(1 + int(commit, 16) % slices.SLICES, slices.SLICES)
    assert why == f"the hash of commit {commit[:10]} of a shallow clone modulo {slices.SLICES}"


def test_where_there_is_no_repository_git_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "ROOT", tmp_path)

    with pytest.raises(OSError, match="not a git repository"):
        slices.chosen_by_commit(slices.git)


@pytest.mark.parametrize("text", ["0/10", "11/10", "3", "3/10/2", "three", ""])
def test_what_is_no_slice_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="3/20 is the third of twenty"):
        slices.parse(text)


def test_what_a_log_says_is_kept_in_place_of_estimates(tmp_path: Path) -> None:
    kept = tmp_path / "durations.json"
    before = {"measured": {"tests/a": 9.0, "tests/b": 8.0}, "estimated": {"tests/c d": 60.0}}
    kept.write_text(json.dumps(before))
    took = [(30.5, "tests/c d"), (11.0, "tests/a"), (12.5, "tests/a"), (0.0, "tests/b")]
    log = "\n".join(slices.TOOK.format(seconds=seconds, unit=unit) for seconds, unit in took)

    slices.keep([f"noise\n2026-01-01T00:00:00Z {log}\n"], kept)

    assert json.loads(kept.read_text()) == {
        "measured": {"tests/a": 12.5, "tests/b": 8.0, "tests/c d": 30.5},
        "estimated": {},
    }


@pytest.mark.parametrize("number", range(1, slices.SLICES + 1))
def test_no_slice_is_longer_than_it_may_be(number: int) -> None:
    durations = slices.read()
    places = slices.dealt(durations, slices.SLICES)

    mine = {unit: durations[unit] for unit, place in places.items() if place == number}

    for beside in (True, False):  # the two are played at the same time
        lane = {
            unit: seconds
            for unit, seconds in mine.items()
            if unit.startswith(slices.BESIDE) is beside
        }
        assert sum(lane.values()) <= slices.LONGEST_S, lane
