"""A bisection asks releases that are not as old as their number says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.front.told_releases import Told, searched

from highwater.bisection import Tally
from highwater.bisection_words import sentences
from highwater.harness.errors import InfrastructureError
from highwater.harness.versions.catalogue import Kafka


@pytest.mark.parametrize(
    ("fails", "ends", "flips"),
    [
        # Built in May; 4.2.2 is of September, and has what 4.3.1 has.
        (
            ">=4.0,<4.2.2 or ==4.3.0",
            {"bad": "4.1.1", "good": "4.3.1"},
            ["4.2.1 4.2.2 holds", "4.2.2 4.3.0 fails", "4.3.0 4.3.1 holds"],
        ),
        (
            "==4.0.2 or >=4.1.1",
            {"bad": "4.4.0", "good": "4.0.0"},
            ["4.0.1 4.0.2 fails", "4.0.2 4.1.0 holds", "4.1.0 4.1.1 fails"],
        ),
        # Whoever names ends that are near is told as much.
        (
            ">=4.0,<4.2.2 or ==4.3.0",
            {"bad": "4.3.0", "good": "4.3.1"},
            ["4.3.0 4.3.1 holds", "4.2.1 4.2.2 holds", "4.2.2 4.3.0 fails"],
        ),
        # KAFKA-6917 went into three lines in the summer of 2018.
        (
            "==0.11.0.3 or ==1.0.2 or >=1.1.1",
            {"good": "0.11.0.0", "bad": "0.11.0.3"},
            [
                "0.11.0.2 0.11.0.3 fails",
                "0.11.0.3 1.0.0 holds",
                "1.0.1 1.0.2 fails",
                "1.0.2 1.1.0 holds",
                "1.1.0 1.1.1 fails",
            ],
        ),
        # Built later than 3.0.0, and without what that has.
        ("<3.0", {"bad": "2.8.0", "good": "3.0.2"}, ["2.8.2 3.0.0 holds"]),
        (">=4.0,<4.2.2", {"bad": "4.1.1", "good": "4.3.1"}, ["4.2.1 4.2.2 holds"]),
    ],
)
def test_releases_of_another_line_are_asked_that_are_not_as_old_as_their_number_says(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    fails: str,
    ends: dict[str, str],
    flips: list[str],
) -> None:
    told = Told(fails)

    _, found = searched(monkeypatch, told, tmp_path, **ends)

    shown = [
        f"{each['last']} {each['first']} {each['first_answer']}"
        for each in (found, *found["further"])
    ]
    assert shown == flips
    for text, flip in zip(sentences(found), flips, strict=True):
        last, first, answer = flip.split()
        was = {"holds": "fails", "fails": "holds"}[answer]
        assert len(flips) == 1 or f"it {was} on {last} and {answer} on {first}" in text
    days = "4.3.0, which was built before it (2026-05-13, 2026-09-22)"
    assert (days in " ".join(sentences(found))) == ("4.2.2 4.3.0 fails" in flips)
    assert len(set(told.asked)) == len(told.asked)


@pytest.mark.parametrize(
    ("fails", "unclear", "flips"),
    [
        (">=4.0,<4.2.2 or ==4.3.0", "==4.3.0", ["4.2.1 4.2.2"]),
        (">=2.8,<2.8.2", "==2.8.0", ["2.8.1 2.8.2", "2.7.2 2.8.1"]),
    ],
)
def test_a_release_of_which_nothing_can_be_told_is_named_and_the_next_of_its_line_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: str, unclear: str, flips: list[str]
) -> None:
    told = Told(fails, unclear=unclear)
    bad, good = {"4.3.0": ("4.1.1", "4.3.1"), "2.8.0": ("2.8.1", "3.0.0")}[unclear[2:]]

    code, found = searched(monkeypatch, told, tmp_path, bad=bad, good=good)

    assert code == 3
    assert [f"{each['last']} {each['first']}" for each in (found, *found["further"])] == flips
    assert unclear[2:] in " ".join(sentences(found))
    assert found["is_over"]


def test_what_was_found_before_a_release_could_not_be_asked_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Unreachable(Told):
        def tally(self, kafka: Kafka) -> Tally:
            if kafka.name == "4.3.0":
                raise InfrastructureError("no jars of 4.3.0")
            return super().tally(kafka)

    told = Unreachable(">=4.0,<4.2.2")

    with pytest.raises(InfrastructureError, match="no jars"):
        searched(monkeypatch, told, tmp_path, bad="4.1.1", good="4.3.1")

    kept = json.loads((tmp_path / "bisect.json").read_text())
    assert (kept["last"], kept["first"], kept["is_over"]) == ("4.2.1", "4.2.2", False)
    assert "the first on which it holds is 4.2.2" in capsys.readouterr().out
