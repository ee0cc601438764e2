"""Sentences made of cells."""

from __future__ import annotations

from types import ModuleType

from highwater.reports.cells import Cell, read_cells
from highwater.reports.headline import headline, sentence
from highwater.reports.table import entry, matrix


def test_one_scenario_is_one_sentence_in_the_order_of_the_versions(kip101: ModuleType) -> None:
    control = [kip101.Trial(kafka="0.11.0.3", control="ibp=0.11.0-IV1", number=n) for n in (1, 2)]
    fixed = [kip101.Trial(kafka="0.11.0.3", loses=False, number=n) for n in (1, 2)]
    broken = [kip101.Trial(number=n) for n in (1, 2)]
    cells = read_cells([kip101.cell(*control), kip101.cell(*fixed), kip101.cell(*broken)])

    said = headline(cells)

    assert said.finding == (
        "Kafka 0.10.2.2 lost 20 of 22 acknowledged records in 2 of 2 trials of "
        "kip101-loss-strict; 0.11.0.3 lost none of 22 in 2 trials; "
        "0.11.0.3 with ibp=0.11.0-IV1 lost 20 of 22 in 2 of 2 trials."
    )
    assert said.expectation == "All 3 cells are as expected."
    assert said.as_expected is True


def test_neighbours_that_did_the_same_are_told_together() -> None:
    bad = {"2.4.1", "2.1.1", "2.0.1"}
    said = sentence(
        [
            Cell(scenario="s", kafka=kafka, trials=1, reproduced=int(kafka in bad),
                 clean=int(kafka not in bad), anomalies={"stalled-sends": int(kafka in bad)})
            for kafka in (*bad, "1.1.1", "2.6.3", "2.0.0")
        ]
    )  # fmt: skip

    assert said == (
        "Kafka 1.1.1 and 2.0.0 each showed no violation in 1 trial of s; 2.0.1, 2.1.1 and 2.4.1 "
        "each acknowledged nothing for half a minute in 1 of 1 trial; "
        "2.6.3 showed no violation in 1 trial."
    )


def test_several_scenarios_get_an_overview_and_a_sentence_each(kip101: ModuleType) -> None:
    one, other = kip101.Trial(), kip101.Trial(scenario="kip279-divergence", loses=False)

    said = headline(read_cells([kip101.cell(one), kip101.cell(other)]))

    assert said.finding == "2 scenarios on 1 version: 1 of 2 cells reproduced a failure."
    assert len(said.sentences) == 2


def test_a_known_bad_version_that_stays_clean_is_named(kip101: ModuleType) -> None:
    clean = kip101.Trial(loses=False)

    said = headline(read_cells([kip101.cell(clean, expected="reproduced")]))

    assert said.as_expected is False
    assert "NOT as expected" in said.expectation
    assert "kip101-loss-strict on 0.10.2.2" in said.expectation


def test_inconclusive_trials_are_neither_lost_nor_clean(kip101: ModuleType) -> None:
    cells = read_cells([kip101.cell(kip101.Trial(killed=True))])

    said = sentence(cells)

    assert said == "Kafka 0.10.2.2 gave no answer in 1 inconclusive trial of kip101-loss-strict."


def test_what_a_trial_that_proves_nothing_lost_is_not_called_kept() -> None:
    """What was acknowledged, and what was lost, is counted of all trials of a cell."""
    said = sentence(
        [
            Cell(scenario="s", kafka="1.1.1", trials=3, clean=2, inconclusive=1, acked=33,
                 anomalies={"lost-write": 5}),
            Cell(scenario="s", kafka="2.0.1", trials=2, clean=2, acked=22),
        ]
    )  # fmt: skip

    assert (
        said
        == "Kafka 1.1.1 showed no violation in 2 trials of s; 2.0.1 lost none of 22 in 2 trials."
    )


def test_another_anomaly_has_words_of_its_own() -> None:
    cell = Cell(
        scenario="s",
        kafka="1.1.1",
        trials=1,
        reproduced=1,
        anomalies={"replica-divergence": 5, "lost-write": 0},
    )

    assert sentence([cell]) == (
        "Kafka 1.1.1 left replicas that hold different records in 1 of 1 trial of s."
    )


def test_a_cell_says_symbol_number_and_interval() -> None:
    shown = entry(Cell(scenario="s", kafka="1.1.1", trials=3, reproduced=2, inconclusive=1), {})

    assert (shown.symbol, shown.text) == ("✕", "2/2 reproduced")
    assert shown.detail == "95%: 34–100%; 1 of 3 inconclusive"  # noqa: RUF001 - as on the page


def test_columns_are_ordered_as_versions_and_controls_stand_beside_their_binary() -> None:
    columns: list[tuple[str, str | None]] = [("4.1.0", None), ("3.9.1-zk", None), ("3.9.1", None)]
    columns += [("0.11.0.3", "ibp=0.11.0-IV1"), ("0.10.2.2", None)]
    cells = [Cell(scenario="s", kafka=kafka, control=control) for kafka, control in columns]
    cells.append(Cell(scenario="s", kafka="0.11.0.3"))

    labels = [column.label for column in matrix(cells, {}).columns]

    lowered = ["0.11.0.3", "0.11.0.3 + ibp=0.11.0-IV1"]
    assert labels == ["0.10.2.2", *lowered, "3.9.1", "3.9.1-zk", "4.1.0"]
