"""What is kept of comparisons for the page of results."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests import kept_cells, kept_sections, results, whole_ladder


def test_a_reason_that_names_a_file_names_no_directory_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_cells, "KEPT", tmp_path / "kept")
    (out := tmp_path / "out").mkdir()
    reason = f"waited 2.0 s for billing-2 to end; look at {out}/runs/a/4.1.1/1/billing-2.log"
    cell = {"scenario": "a", "kafka": "4.1.1", "seconds": [1.0], "reasons": [reason]}
    (out / "compare.json").write_text(json.dumps({"cells": [cell]}))

    kept_cells.keep("clients", {out: ["clients"]})

    (kept,) = json.loads((tmp_path / "kept" / "clients.json").read_text())["cells"]
    assert kept["reasons"] == [
        "waited 2.0 s for billing-2 to end; look at runs/a/4.1.1/1/billing-2.log"
    ]


TOLD: Mapping[str, object] = {
    "scenario": "a", "kafka": "4.1.1", "control": None, "backend": "process", "trials": 3,
    "reproduced": 0, "clean": 3, "inconclusive": 0, "acked": 3, "anomalies": {},
    "not_promised": {}, "rewritten": {}, "unexpected": [], "as_expected": True,
    "seconds": [10.0, 20.0, 90.0], "reasons": [], "runs": ["runs/a/4.1.1/1"],
}  # fmt: skip


def ladder(out: Path, day: int, sittings: Sequence[float] = ()) -> Path:
    out.mkdir()
    told = {"started_at": f"2026-11-{day}T09:00:00.000Z", "cells": [TOLD]}
    (out / "compare.json").write_text(json.dumps(told))
    if sittings:
        (out / "sittings.json").write_text(json.dumps(sittings))
    return out


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_cells, "KEPT", tmp_path / "kept")
    return tmp_path / "kept" / "ladder.json"


def of_clients(kafkas: Sequence[str]) -> list[dict[str, object]]:
    return [{**TOLD, "scenario": "client-answer-lost", "kafka": each} for each in kafkas]


WHOLE = of_clients(("0.11.0.3", "2.8.2", "3.9.1-zk", "4.4.0"))


def test_what_any_client_can_play_is_kept_apart_with_the_command_that_played_it(
    tmp_path: Path, kept: Path
) -> None:
    out = ladder(tmp_path / "out", 27)
    (out / "compare.json").write_text(json.dumps({"cells": WHOLE}))

    kept_cells.keep_ours(out)

    told = json.loads((kept.parent / "ours.json").read_text())
    assert told["command"] == "highwater matrix -n 3 --reruns 2 --ends -s client-answer-lost"
    assert [row["kafka"] for row in told["cells"]] == [row["kafka"] for row in WHOLE]


@pytest.mark.parametrize(
    "content",
    [
        [], {}, {"cells": []}, {"cells": [{"foo": 1}]}, {"cells": WHOLE[:1]},
        {"cells": [*WHOLE, WHOLE[0]]}, {"cells": [*WHOLE, {**WHOLE[0], "control": "client=java"}]},
        {"cells": [{**TOLD, "scenario": "hw-two-fetches"}]}, {"cells": [TOLD]},
    ],
)  # fmt: skip
def test_what_is_no_whole_ladder_of_ours_is_not_kept(
    tmp_path: Path, kept: Path, content: object
) -> None:
    (out := tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match=r"saw no compare\.json"):
        kept_cells.keep_ours(out)
    (out / "compare.json").write_text(json.dumps(content))

    with pytest.raises(ValueError, match=r"^expected "):
        kept_cells.keep_ours(out)
    assert not (kept.parent / "ours.json").exists()


def test_what_was_played_on_one_kafka_alone_stands_in_its_column() -> None:
    rows = [{**TOLD, "kafka": "2.8.2"}, {**TOLD, "scenario": "b", "kafka": "4.4.0", "clean": 2}]
    kept = {"command": "c", "played_on": "d", "minutes": "1", "cells": rows}

    told = kept_sections.headline_section("One of each", kept).splitlines()

    assert "| a | 0/3 (20.0 s) |  |" in told
    assert "| b |  | 0/3 (20.0 s) |" in told


def test_ladders_of_several_directories_are_told_together(tmp_path: Path, kept: Path) -> None:
    first = ladder(tmp_path / "first", 27, [600.0, 1800.0])
    second = ladder(tmp_path / "second", 25, [1200.0])

    kept_cells.put_together([first, second])

    told = json.loads(kept.read_text())
    assert told["minutes"] == "40 and 20"
    assert told["played_on"] == "2026-11-27 and 2026-11-25"
    assert told["command"] == "\n".join(["highwater matrix -n 3 --reruns 2"] * 2)
    assert [(row["trials"], row["clean"], "runs" in row) for row in told["cells"]] == [
        (6, 6, False)
    ]


def test_scenarios_that_were_changed_are_told_by_what_was_played_anew(
    tmp_path: Path, kept: Path
) -> None:
    whole = [ladder(tmp_path / each, day) for each, day in (("first", 25), ("second", 26))]
    changed = {**TOLD, "scenario": "b", "clean": 2, "reproduced": 1}
    for out in whole:
        told = json.loads((out / "compare.json").read_text())
        had = [TOLD, changed] if out is whole[0] else [TOLD]  # b is new, or gone
        (out / "compare.json").write_text(json.dumps({**told, "cells": had}))
    anew = ladder(tmp_path / "anew", 27)
    cells = [{**TOLD, "scenario": name, "trials": 5, "clean": 5} for name in ("b", "Z")]
    told = {"started_at": "2026-11-27T09:00:00.000Z", "cells": cells}
    (anew / "compare.json").write_text(json.dumps(told))

    results.put_ladders_together([*map(str, whole), "anew", str(anew)])

    both = json.loads(kept.read_text())
    every = "highwater matrix -n 3 --reruns 2"
    assert both["command"].split("\n") == [
        every, every, "highwater matrix -n 5 --reruns 2 -s b -s Z"
    ]  # fmt: skip
    assert [(row["scenario"], row["trials"], row["clean"]) for row in both["cells"]] == [
        ("Z", 5, 5), ("a", 6, 6), ("b", 5, 5)
    ]  # fmt: skip


def test_a_further_sitting_comes_on_top_of_what_is_told(tmp_path: Path, kept: Path) -> None:
    first, second = ladder(tmp_path / "first", 27, [600.0]), ladder(tmp_path / "second", 29, [60.0])
    results.put_ladders_together([str(first)])
    shutil.rmtree(first)  # runs are not kept for ever

    results.put_ladders_together(["further", str(second)])

    told = json.loads(kept.read_text())
    every = "highwater matrix -n 3 --reruns 2"
    assert (told["command"], told["minutes"]) == (f"{every}\n{every}", "10 and 1")
    assert told["played_on"] == "2026-11-27 and 2026-11-29"
    assert [(row["trials"], row["clean"]) for row in told["cells"]] == [(6, 6)]
    with pytest.raises(SystemExit, match="expected each ladder once"):
        results.put_ladders_together(["further", str(second)])


def test_scenarios_that_are_new_come_on_top_of_what_is_told(tmp_path: Path, kept: Path) -> None:
    results.put_ladders_together([str(ladder(tmp_path / "first", 27))])
    anew = ladder(tmp_path / "anew", 29)
    told = {"started_at": "2026-11-29T09:00:00.000Z", "cells": [{**TOLD, "scenario": "b"}]}
    (anew / "compare.json").write_text(json.dumps(told))

    results.put_ladders_together(["further", "anew", str(anew)])

    told = json.loads(kept.read_text())
    assert [row["scenario"] for row in told["cells"]] == ["a", "b"]
    assert told["command"].split("\n")[1] == "highwater matrix -n 3 --reruns 2 -s b"


@pytest.mark.parametrize("ends_first", [True, False])
def test_ladders_with_their_ends_and_without_are_told_together(
    tmp_path: Path, kept: Path, ends_first: bool
) -> None:
    with_ends, without = ladder(tmp_path / "ends", 27), ladder(tmp_path / "without", 28)
    name = "kafka13141-diverging-fetch"
    flips = [{**TOLD, "scenario": name, "kafka": each} for each in ("2.7.2", "2.8.0", "2.8.1")]
    newest = {**TOLD, "scenario": name, "kafka": "4.4.0"}
    for out, cells in ((with_ends, [*flips, newest]), (without, flips)):
        told = json.loads((out / "compare.json").read_text())
        (out / "compare.json").write_text(json.dumps({**told, "cells": cells}))

    kept_cells.put_together([with_ends, without] if ends_first else [without, with_ends])

    told = json.loads(kept.read_text())
    plain = "highwater matrix -n 3 --reruns 2"
    assert sorted(told["command"].split("\n")) == [plain, f"{plain} --ends"]
    counted = {row["kafka"]: row["trials"] for row in told["cells"]}
    assert counted == {"2.7.2": 6, "2.8.0": 6, "2.8.1": 6, "4.4.0": 3}


def test_a_scenario_that_was_played_anew_twice_is_told_neither_twice_nor_by_chance(
    tmp_path: Path, kept: Path
) -> None:
    whole, *anew = (ladder(tmp_path / str(day), day) for day in (25, 26, 27))

    with pytest.raises(ValueError, match=r"each scenario in one directory .* saw \['a'\] in two"):
        kept_cells.put_together([whole], anew)

    assert not kept.exists()


@pytest.mark.parametrize(("left_out", "refused"), [("2.8.0", True), ("1.1.1", False)])
def test_a_scenario_that_was_played_anew_has_all_cells_that_it_had(
    tmp_path: Path, kept: Path, left_out: str, refused: bool
) -> None:
    """Unless the ladder has such a cell no more."""
    first, anew = ladder(tmp_path / "first", 27), ladder(tmp_path / "anew", 28)
    cell = {**TOLD, "scenario": "kafka13141-diverging-fetch", "kafka": "2.8.1"}
    for out, cells in ((first, [cell, {**cell, "kafka": left_out}]), (anew, [cell])):
        told = json.loads((out / "compare.json").read_text())
        (out / "compare.json").write_text(json.dumps({**told, "cells": cells}))

    if refused:
        with pytest.raises(ValueError, match=r"saw none of .*diverging-fetch', '2\.8\.0'"):
            kept_cells.put_together([first], [anew])
        assert not kept.exists()
    else:
        kept_cells.put_together([first], [anew])
        assert [row["kafka"] for row in json.loads(kept.read_text())["cells"]] == ["2.8.1"]


def test_nothing_comes_on_top_of_what_is_not_told(tmp_path: Path, kept: Path) -> None:
    with pytest.raises(ValueError, match="a ladder that is told already, saw none"):
        kept_cells.put_together([ladder(tmp_path / "first", 27)], further=True)
    assert not kept.exists()


def test_a_ladder_of_which_nobody_has_noted_a_sitting_took_as_long_as_its_trials(
    tmp_path: Path, kept: Path
) -> None:
    kept_cells.put_together([ladder(tmp_path / "first", 27)])

    assert json.loads(kept.read_text())["minutes"] == "2"


def test_a_ladder_is_counted_once(tmp_path: Path, kept: Path) -> None:
    first = ladder(tmp_path / "first", 27)
    shutil.copytree(first, tmp_path / "copy")

    for again in (first, first / ".." / "first", tmp_path / "copy"):
        with pytest.raises(ValueError, match="expected each ladder once"):
            kept_cells.put_together([first, again])

    assert not kept.exists()


def test_what_is_no_ladder_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"ladder: expected directories .* saw none"):
        results.put_ladders_together([])
    with pytest.raises(SystemExit, match=r"no compare\.json in .*nowhere"):
        results.put_ladders_together([str(tmp_path / "nowhere")])


def test_a_sitting_is_kept_beside_the_ladder(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_cells.put_together([ladder(tmp_path / "first", 27)])
    before, out = kept.read_text(), ladder(tmp_path / "second", 29, [600.0, 60.0])
    monkeypatch.setattr(whole_ladder, "play", lambda *_asked: True)

    results.play_matrix(3, out, None)

    assert kept.read_text() == before
    told = json.loads(kept.with_name("sitting.json").read_text())
    assert (told["minutes"], len(told["cells"])) == ("11", 1)
    said = kept_sections.sitting_section(told)
    assert "in 11 minutes" in said
    assert "1 cells, 3 trials, of which 0 proved nothing." in said
    assert "Cells not as expected: 0 of 1." in said
