"""Where the answer changes from one version of a client to the next."""

from __future__ import annotations

import io

from rich.console import Console

from highwater.console import comparison
from highwater.reports.cells import Cell
from highwater.reports.flips import flips


def cell(client: str, reproduced: int, clean: int = 0, kafka: str = "4.1.1") -> Cell:
    control = f"client={client}" if client else None
    return Cell(
        scenario="unanswered", kafka=kafka, control=control, reproduced=reproduced, clean=clean
    )


def test_versions_of_a_client_are_told_where_they_differ_in_their_order() -> None:
    cells = [cell("java:4.3.1", 0, 5), cell("java:2.8.2", 5), cell("java:3.9.1", 0, 5)]

    assert flips(cells) == [
        "unanswered on 4.1.1 flips between java 2.8.2 and 3.9.1: 5 of 5 and 0 of 5."
    ]


def test_java_without_a_version_has_that_of_the_brokers() -> None:
    cells = [cell("java", 0, 3, "3.9.1-zk"), cell("java:4.3.1", 3, 0, "3.9.1-zk")]

    assert flips(cells) == [
        "unanswered on 3.9.1-zk flips between java 3.9.1 and 4.3.1: 0 of 3 and 3 of 3."
    ]


def test_what_is_no_flip_between_versions_of_one_client_is_not_told() -> None:
    mixed, nothing = cell("java:3.0.0", 1, 2), cell("java:3.1.0", 0)
    others = [cell("", 0, 3), cell("kafkajs:2.2.4", 0, 3), cell("kafkajs", 3)]
    brokers = [cell("java:2.8.2", 3, kafka="3.9.1"), cell("java:4.3.1", 0, 3)]

    alike = [cell("java:4.1.1", 0, 3, "4.1.0"), cell("java:4.1.1.0", 3, kafka="4.1.0")]

    assert flips([mixed, nothing, *others, *brokers, *alike]) == []


def test_a_flip_is_said_below_the_cells_of_a_comparison() -> None:
    row = {"scenario": "unanswered", "kafka": "4.1.1", "control": "client=java", "trials": 3}
    counted = {"reproduced": 0, "clean": 3, "inconclusive": 0, "acked": 9, "seconds": [1.0]}
    rows = [{**row, **counted, "as_expected": None, "claims": [], "anomalies": {}}]
    terminal = Console(record=True, width=100, file=io.StringIO())

    terminal.print(comparison(rows, ["unanswered flips."]))

    assert terminal.export_text().rstrip().endswith("unanswered flips.")
