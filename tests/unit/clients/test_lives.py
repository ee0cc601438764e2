"""When clients began and ended, as the record has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from highwater.harness.clients.lives import Lives


def test_a_client_is_told_when_it_begins_and_again_with_its_end() -> None:
    clients: list[Any] = []
    lives = _lives(clients, [])
    sender, reading = {"client": "b-1", "role": "producer"}, {"client": "b-1#2", "role": "consumer"}

    lives.hear("b-1", {"event": "client", "row": sender})
    lives.hear("b-1", {"event": "client", "row": reading})
    lives.hear("other", {"event": "client", "row": {"client": "other"}})
    lives.hear("b-1", {"event": "paused"})
    lives.hear("b-1", {"event": "killed", "at_ns": 1_500})
    lives.hear("b-1", {"event": "ended"})

    assert clients == [
        sender,
        reading,
        {"client": "other"},
        {**sender, "ended_ns": 500},
        {**reading, "ended_ns": 500},
    ]


def test_who_ends_in_order_has_ended_when_it_says_so() -> None:
    clients: list[Any] = []
    lives = _lives(clients, [])

    lives.hear("load", {"event": "client", "row": {"client": "load"}})
    lives.hear("load", {"event": "ended"})

    assert clients[1:] == [{"client": "load", "ended_ns": 700}]


def test_who_has_a_transactional_id_transacts() -> None:
    told: list[str] = []
    lives = _lives([], told)

    for client, name in (("load", "load"), ("load.2", "load"), ("plain", None)):
        row = {"client": client, "transactional_id": name}
        lives.hear(client, {"event": "client", "row": row})

    assert told == ["load", "load"]


def _lives(clients: list[Any], transactional_ids: list[str]) -> Lives:
    record = SimpleNamespace(
        origin_ns=1_000, now_ns=lambda: 700, history=SimpleNamespace(clients=clients)
    )
    scene: Any = SimpleNamespace(record=record)
    return Lives(scene, transactional_ids.append)
