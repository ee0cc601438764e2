"""The table of clients under the same faults."""

from __future__ import annotations

from typing import Any

from tests import client_ladder


def row(scenario: str, client: str | None, **more: Any) -> dict[str, Any]:
    control = None if client is None else f"client={client}"
    counted = {"trials": 3, "reproduced": 0, "inconclusive": 0, "anomalies": {}}
    return {"scenario": scenario, "control": control, **counted, **more}


def test_a_client_is_a_column_and_what_broke_is_named_with_its_number() -> None:
    lost = {"reproduced": 3, "anomalies": {"lost-write": 1_204, "duplicate": 2}}
    rows = [
        row("client-undisturbed", None),
        row("client-undisturbed", "java:2.8.2"),
        row("client-answer-lost", None, inconclusive=1),
        row("client-answer-lost", "java:2.8.2", **lost),
    ]

    told = client_ladder.section(["## Clients", ""], rows).splitlines()

    assert "| scenario | confluent | java:2.8.2 |" in told
    assert "| client-undisturbed | 0/3 | 0/3 |" in told
    assert "| client-answer-lost | 0/3 ?1 | 3/3 |" in told
    assert "- client-answer-lost, java:2.8.2: 2 of duplicate, 1,204 of lost-write" in told
    assert "12 trials, 1 of them inconclusive." in told
