"""A crew on no cluster, for contracts: brokers tell what a test says that they do."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.clients.conftest import Topic

from highwater.harness.clients import contract, contract_rows
from highwater.harness.clients.application import Application
from highwater.harness.clients.crew import Crew
from highwater.harness.model import TopicPartition, told_as
from highwater.harness.record.history import History
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.contracted import Content, Found
from highwater.harness.workloads.payload import Values

GIVEN = [b"a", b"b", None, b'{"of": "c"}']


class Source(Topic):
    @property
    def wheres(self) -> Any:
        return [TopicPartition(self.name)]

    @property
    def told_as(self) -> str:
        return told_as(self.name, 1)


class Play:
    """A crew on no cluster; brokers tell these ends and positions."""

    def __init__(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ends: dict[TopicPartition, int] = {}
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.identity: dict[str, Any] = {}
        self.asked: list[str] = []
        history = History(tmp_path, 0)
        record = SimpleNamespace(
            path=tmp_path,
            origin_ns=0,
            history=history,
            identity=self.identity,
            group=lambda *_: None,
            event=lambda *_, **__: None,
            table=lambda _name, rows: self.rows.extend(rows),
        )
        cluster = SimpleNamespace(
            kafka=find_kafka("4.1.1"), bootstrap="127.0.0.1:1", client_bootstrap="127.0.0.1:2"
        )
        scene: Any = SimpleNamespace(
            record=record,
            cluster=cluster,
            values=Values(),
            foreign=history.foreign,
            note=self.notes.append,
            step=lambda _: None,
        )
        self.crew = Crew(scene, Topics(scene, "shop"))
        self.history = history
        monkeypatch.setattr(self.crew, "_group", lambda: 0)
        ends = lambda wheres: {where: self.ends.get(where, 0) for where in wheres}  # noqa: E731
        monkeypatch.setattr(self.crew._contracting, "_ends", ends)
        monkeypatch.setattr(contract, "positions_of", self._positions)
        monkeypatch.setattr(contract_rows, "Whole", self._whole)

    def _positions(self, _bootstrap: str, group: str, wheres: Any) -> Any:
        self.asked.append(group)
        return dict.fromkeys(wheres, 3)

    def _whole(self, _bootstrap: str, ends: Any) -> Any:
        (where,) = ends
        self.asked.append(where.topic)
        found = [Found(where, at, Content(None, each, {})) for at, each in enumerate(GIVEN)]
        return SimpleNamespace(read=lambda: iter(found), first={where: 0})

    def application(self, name: str = "billing") -> Application:
        return self.crew.application([sys.executable], None, name)

    def told(self, tells: str, *names: str) -> list[Any]:
        return [tuple(row.get(one) for one in names) for row in self.rows if row["tells"] == tells]
