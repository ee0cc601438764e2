"""Counting how the chaos tests that statements name have ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import shown, shown_trials
from tests.shown_trials import counts, kafkas_of, whole

from highwater.harness.errors import InfrastructureError, UsageError

TEST = "README.md::test_every_order_is_billed"
HELD, AS_SAID = ["passed", []], ["failed", ["unprocessed"]]
PROVES_NOTHING = ["inconclusive", []]


@pytest.mark.parametrize(
    ("asked", "said"),
    [(("", ()), "saw none"), (("README.md::test_no", ()), "saw README"), ((TEST, ("9.9",)), "9.9")],
)
def test_what_nobody_can_play_is_refused_before_anything_is(
    tmp_path: Path, asked: tuple[str, tuple[str, ...]], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        next(shown_trials.play_one(*asked, tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_a_play_that_was_interrupted_is_not_kept() -> None:
    ended = {"outcome": "passed", "violated": []}
    block = "def test_one(play): ...\n\ndef test_other(play): ...\n"

    with pytest.raises(InfrastructureError, match="expected the end of test_other"):
        whole({"test_one": ended}, [block])
    told = whole({"test_one": ended, "test_other": {**ended, "outcome": "failed"}}, [block])
    assert told == {"test_one": ("passed", []), "test_other": ("failed", [])}


def test_what_an_interrupted_play_has_left_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = shown_trials.blocks()[TEST]
    monkeypatch.setattr(shown_trials, "KEPT", tmp_path)
    monkeypatch.setattr(shown_trials, "blocks", lambda: {TEST: block})
    for kafka in kafkas_of(block):
        (left := tmp_path / "out" / kafka / "1" / "report").mkdir(parents=True)
        (left / "suite.json").write_text("{}")

    def played(place: Path, *_words: object) -> dict[str, object]:
        assert [*place.iterdir()] == []
        return {name: {"outcome": "passed", "violated": []} for name in shown.tests_of(block)}

    monkeypatch.setattr(shown, "played", played)
    shown_trials.play(1, tmp_path / "out")

    assert shown_trials.trials_of(shown_trials.kept()[TEST]) == 1


def test_a_play_counts_by_what_its_page_says_and_what_proved_nothing_is_told(
    tmp_path: Path,
) -> None:
    block = shown_trials.blocks()[TEST]
    ends = [AS_SAID, HELD, PROVES_NOTHING]
    for kafka in kafkas_of(block):
        for trial, end in enumerate(ends, 1):
            place = tmp_path / kafka / str(trial)
            place.mkdir(parents=True)
            (place / "told.json").write_text(json.dumps({"test_every_order_is_billed": end}))

    found = counts(tmp_path, {TEST: block}, 3)

    assert found == {TEST: {kafka: [1, 3, 1] for kafka in kafkas_of(block)}}
    first = counts(tmp_path, {TEST: block}, 1)  # others may be of another page
    assert first == {TEST: {kafka: [1, 1, 0] for kafka in kafkas_of(block)}}


def all_pass(kept: Path, monkeypatch: pytest.MonkeyPatch, every: dict[str, str]) -> list[list[str]]:
    """Whatever is played passes, of these blocks; says of each play which they were."""
    asked: list[list[str]] = []

    def played(_place: Path, _words: object, _s: object, mine: list[str]) -> dict[str, object]:
        asked.append(mine)
        names = [name for each in mine for name in shown.tests_of(each)]
        return {name: {"outcome": "passed", "violated": []} for name in names}

    monkeypatch.setattr(shown_trials, "KEPT", kept)
    monkeypatch.setattr(shown_trials, "blocks", lambda: every)
    monkeypatch.setattr(shown, "played", played)
    return asked


def test_what_is_kept_as_its_page_stands_is_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = shown_trials.blocks()[TEST]
    other = block.replace("test_every_order_is_billed", "test_other")
    every = {TEST: block, "README.md::test_other": other}
    asked = all_pass(tmp_path, monkeypatch, every)

    shown_trials.play(1, tmp_path / "first")
    assert asked[0] == [block, other]
    asked.clear()
    shown_trials.play(1, tmp_path / "second")
    assert asked == []
    every[TEST] = block + "# told otherwise\n"
    shown_trials.play(1, tmp_path / "third")
    assert asked[0] == [every[TEST]]
    asked.clear()
    shown_trials.play(2, tmp_path / "fourth")
    assert asked[0] == [every[TEST], other]
    assert shown_trials.kept().keys() == every.keys()


def test_what_was_played_of_another_page_is_played_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though its plays lie where these are to lie, and others are to be played there as well."""
    block = shown_trials.blocks()[TEST]
    other = block.replace("test_every_order_is_billed", "test_other")
    every = {TEST: block}
    asked = all_pass(tmp_path, monkeypatch, every)
    shown_trials.play(1, tmp_path / "out")
    every[TEST], every["README.md::test_other"] = block + "# told otherwise\n", other
    asked.clear()

    shown_trials.play(1, tmp_path / "out")

    assert asked[0] == [every[TEST], other]
    told = shown_trials.kept()
    assert all(shown_trials.is_of(told[test], its) for test, its in every.items())
    monkeypatch.setattr(shown_trials, "kafkas_of", lambda _block: ["0.10.0.1", "9.9.9"])
    assert not shown_trials.is_of(told[TEST], every[TEST])
    monkeypatch.setitem(shown.VIOLATES, "test_other", ["unprocessed"])
    assert shown_trials.digest(other) != told["README.md::test_other"]["block"]
