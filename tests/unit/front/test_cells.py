"""Which cells a comparison has, what a trial showed, and what follows from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from highwater.cells import Cell, Result, Trial, make_cells, sharing
from highwater.harness.errors import UsageError
from highwater.harness.model import Answer, Ending, Scenario, Verdict
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import find_kafka
from highwater.playing import exit_code
from highwater.scenarios.catalogue import find_scenario

OLD, NEW, KRAFT = find_kafka("0.10.2.2"), find_kafka("2.8.2"), find_kafka("4.1.1")
CONTROL = "ibp=0.11.0-IV1"
OUT = Path("/out")


def scenario(name: str = "loss", *claims: str, **more: Any) -> Scenario:
    return Scenario(
        name=name,
        story="A story.",
        play=lambda _play, _partition: None,
        source="KIP-0",
        reproduces="<0.11",
        claims=claims or ("lost-write",),
        restored_by=(CONTROL,),
        **more,
    )


def test_a_scenario_may_want_its_clients_at_the_gate_and_a_cluster_for_that() -> None:
    plain, gated = cell(), cell(gated_clients=True)

    assert gated.spec.gated_clients
    assert plain.spec.key != gated.spec.key
    assert len(list(sharing([plain, gated]))) == 2


def played(*, complete: bool = True) -> Played:
    return Played(OUT / "runs" / "1", complete, "" if complete else "no quorum", 2.04, complete)


def verdict(claim: str, answer: Answer, anomalies: int = 0) -> Verdict:
    return Verdict(claim=claim, answer=answer, considered=5, anomalies=anomalies)


def cell(kafka: str = "0.10.2.2", control: str | None = None, **more: Any) -> Cell:
    return Cell(scenario=scenario(**more), kafka=find_kafka(kafka), control=control)


def result(where: Cell, *endings: Ending, verdicts: Sequence[Verdict] = ()) -> Result:
    trials = [
        Trial(
            played=played(complete=each is not Ending.INCONCLUSIVE),
            verdicts=verdicts,
            ending=each,
            acked=10,
        )
        for each in endings
    ]
    return Result(where, trials)


REPRODUCED, CLEAN, INCONCLUSIVE = Ending.REPRODUCED, Ending.CLEAN, Ending.INCONCLUSIVE


def test_there_is_a_cell_for_each_scenario_kafka_and_control_that_applies() -> None:
    cells = make_cells([scenario("a"), scenario("b")], [OLD, NEW, KRAFT], [CONTROL])

    assert [(each.column, each.scenario.name) for each in cells] == [
        ("0.10.2.2", "a"),
        ("0.10.2.2", "b"),
        ("2.8.2", "a"),
        ("2.8.2", "b"),
        (f"2.8.2+{CONTROL}", "a"),
        (f"2.8.2+{CONTROL}", "b"),
        ("4.1.1", "a"),
        ("4.1.1", "b"),
    ]


def test_a_control_that_applies_to_none_of_the_kafkas_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        make_cells([scenario()], [OLD, KRAFT], [CONTROL])

    assert f"control {CONTROL} applies to none of the scenarios on 0.10.2.2, 4.1.1" in str(
        refused.value
    )


def test_a_scenario_is_played_with_whom_it_can_be_lined_up() -> None:
    needs = scenario(any_client="producer", not_lined_up_with=("confluent", "sarama"))

    (java,) = make_cells([needs], [KRAFT], ["client=java"])

    assert java.control == "client=java"
    for controls in ([], ["client=java", "client=sarama:1.2"]):
        with pytest.raises(UsageError, match="loss cannot be lined up with confluent, sarama:"):
            make_cells([needs], [KRAFT], controls)


def test_a_control_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown control 'acks=1'"):
        make_cells([scenario()], [NEW], ["acks=1"])


def test_a_cell_knows_its_settings_and_what_to_expect() -> None:
    plain = cell("2.8.2", settings={"log.message.format.version": "2.0", "a": "1"})
    lowered = cell("2.8.2", CONTROL, settings={"log.message.format.version": "2.0", "a": "1"})

    assert (plain.expected, lowered.expected) == ("clean", "reproduced")
    assert cell("0.10.2.2").expected == "reproduced"
    assert plain.spec.settings == {"log.message.format.version": "2.0", "a": "1"}
    assert lowered.spec.settings["log.message.format.version"] == "0.11.0-IV1"
    assert lowered.spec.settings["a"] == "1"


def test_cells_share_a_cluster_when_kafka_and_settings_agree() -> None:
    quick, slow = {"x": "1", "y": "2"}, {"y": "2", "x": "3"}
    first, second = cell(name="a", settings=quick), cell(name="b", settings=dict(quick.items()))
    other_settings, other_kafka = cell(name="c", settings=slow), cell("2.8.2", settings=quick)

    groups = list(sharing([first, other_settings, second, other_kafka]))

    assert groups == [[first, second], [other_settings], [other_kafka]]


def test_a_setting_of_the_other_mode_makes_no_cluster() -> None:
    plain, longer = {"a": "1"}, {"a": "1", "broker.session.timeout.ms": "60000"}
    older = {"a": "1", "zookeeper.session.timeout.ms": "30000"}
    wanted = [("plain", plain), ("longer", longer), ("older", older)]

    old, kraft = (
        [[each.scenario.name for each in group] for group in sharing(cells)]
        for cells in (
            [cell(kafka.name, name=name, settings=settings) for name, settings in wanted]
            for kafka in (NEW, KRAFT)
        )
    )

    assert old == [["plain", "longer"], ["older"]]
    assert kraft == [["plain", "older"], ["longer"]]


def test_a_play_that_may_lead_into_the_other_mode_keeps_its_settings() -> None:
    settings = {"broker.session.timeout.ms": "60000", "zookeeper.session.timeout.ms": "30000"}

    migrating = cell("3.9.1-zk", settings=settings, upgrades_to="4.1.1")

    assert migrating.spec.settings == settings


def test_cells_that_want_other_voters_share_no_cluster() -> None:
    single, three = cell(name="a"), cell(name="b", voters=3)

    assert [len(group) for group in sharing([single, three])] == [1, 1]
    assert (single.spec.voters, three.spec.voters) == (1, 3)


def test_two_voters_are_refused() -> None:
    with pytest.raises(UsageError, match="one voter or three, not 2"):
        _ = cell(voters=2).spec


def test_cells_under_a_control_have_a_cluster_of_their_own() -> None:
    cells = make_cells([scenario("a"), scenario("b")], [NEW], [CONTROL])

    assert [len(group) for group in sharing(cells)] == [2, 2]


@pytest.mark.parametrize(
    ("where", "endings", "as_expected"),
    [
        (cell("0.10.2.2"), [REPRODUCED, REPRODUCED], True),
        (cell("0.10.2.2"), [REPRODUCED, CLEAN], False),
        (cell("0.10.2.2"), [REPRODUCED, INCONCLUSIVE], False),
        (cell("2.8.2"), [CLEAN, CLEAN], True),
        (cell("2.8.2"), [CLEAN, REPRODUCED], False),
        (cell("2.8.2", CONTROL), [REPRODUCED], True),
        (cell("2.8.2", CONTROL), [CLEAN], False),
    ],
)
def test_a_cell_is_as_expected_when_every_trial_is(
    where: Cell, endings: list[Ending], *, as_expected: bool
) -> None:
    assert result(where, *endings).as_expected is as_expected


@pytest.mark.parametrize(
    ("endings", "as_expected"),
    [
        ([REPRODUCED, REPRODUCED], True),
        ([INCONCLUSIVE, REPRODUCED, REPRODUCED], True),
        ([INCONCLUSIVE, REPRODUCED, INCONCLUSIVE], False),
        ([INCONCLUSIVE, REPRODUCED, CLEAN, REPRODUCED], False),
    ],
)
def test_another_trial_stands_in_for_one_that_proved_nothing_and_for_no_other(
    endings: list[Ending], *, as_expected: bool
) -> None:
    shown = result(cell("0.10.2.2"), *endings)
    shown.asked = 2

    assert shown.as_expected is as_expected


def test_the_row_of_a_cell_counts_its_trials() -> None:
    violated = [verdict("lost-write", Answer.VIOLATED, 10), verdict("duplicate", Answer.HELD)]

    row = result(cell(), REPRODUCED, INCONCLUSIVE, verdicts=violated).row(OUT)

    assert row == {
        "scenario": "loss",
        "kafka": "0.10.2.2",
        "control": None,
        "backend": "process",
        "source": "KIP-0",
        "trials": 2,
        "reproduced": 1,
        "clean": 0,
        "inconclusive": 1,
        "expected": "reproduced",
        "as_expected": False,
        "claims": ["lost-write"],
        "unexpected": [],
        "acked": 20,
        "anomalies": {"lost-write": 20},
        "explained": "",
        "not_promised": {},
        "rewritten": {},
        "seconds": [2.0, 2.0],
        "reasons": ["no quorum"],
        "runs": ["runs/1", "runs/1"],
        "measures": {},
    }


FITS, SURPRISE = result(cell(), REPRODUCED), result(cell(), CLEAN)
UNCLEAR, MIXED = result(cell(), INCONCLUSIVE, REPRODUCED), result(cell(), INCONCLUSIVE, CLEAN)
STRANGE = result(cell(), INCONCLUSIVE, verdicts=[verdict("duplicate", Answer.VIOLATED)])


@pytest.mark.parametrize(
    ("results", "code"),
    [
        ([FITS, FITS], 0),
        ([FITS, SURPRISE], 1),
        ([UNCLEAR], 3),
        ([FITS, UNCLEAR], 3),
        ([UNCLEAR, SURPRISE], 1),
        ([MIXED], 1),
        ([STRANGE], 1),
    ],
)
def test_the_exit_code_tells_a_surprise_from_a_lack_of_evidence(
    results: list[Result], code: int
) -> None:
    assert exit_code(results) == code


def test_a_scenario_says_what_it_takes_of_each_jvm() -> None:
    scenario = replace(find_scenario("hw-two-fetches"), heap_mib=1536)
    cell = Cell(scenario=scenario, kafka=find_kafka("4.4.0"), control=None)

    assert cell.spec.heap_mib == 1536
    assert replace(cell, scenario=find_scenario("hw-two-fetches")).spec.heap_mib is None
