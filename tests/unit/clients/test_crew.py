"""What clients a play may have: each has a name of its own, and what cannot be is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.clients.crew import Crew
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings


class Topic:
    """Named, of one partition."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        return iter([SimpleNamespace(where=(self.name, 0))])


@pytest.fixture
def crew(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Crew:
    record = SimpleNamespace(path=tmp_path, origin_ns=0)
    cluster = SimpleNamespace(kafka=find_kafka("4.1.1"), bootstrap="127.0.0.1:1")
    scene: Any = SimpleNamespace(record=record, cluster=cluster, values=Values())
    made = Crew(scene)
    monkeypatch.setattr(made, "_group", lambda: 0)
    return made


def load(crew: Crew, topic: str, rate: Any = None) -> Any:
    return crew.load(Topic(topic), rate, ProducerSettings())  # type: ignore[arg-type]


def test_no_two_clients_have_one_name(crew: Crew) -> None:
    names = [load(crew, topic).name for topic in ("p-4", "p", "p", "p", "p", "p-2")]
    names += [each.name for each in crew.group("g", Topic("t"), 2, None).members]  # type: ignore[arg-type]
    names += [crew.group("g-1", Topic("t"), 1, None).members[0].name]  # type: ignore[arg-type]
    names += [crew.group("g", Topic("t"), 2, None).members[0].name]  # type: ignore[arg-type]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf"), "5", [1], True])
def test_what_is_no_rate_is_refused(crew: Crew, rate: Any) -> None:
    with pytest.raises(UsageError, match="expected a rate_per_s above 0, saw"):
        load(crew, "p", rate)


REFUSED: dict[str, Callable[[Crew, Any], object]] = {
    "slash": lambda crew, topic: crew.group("a/b", topic, 1, None),
    "dots": lambda crew, topic: crew.group("../../x", topic, 1, None),
    "empty": lambda crew, topic: crew.group("", topic, 1, None),
    "long": lambda crew, topic: crew.group("a" * 101, topic, 1, None),
    "no name": lambda crew, topic: crew.group(None, topic, 1, None),  # type: ignore[arg-type]
    "half a member": lambda crew, topic: crew.group("g", topic, 2.5, None),  # type: ignore[arg-type]
    "a word": lambda crew, topic: crew.group("g", topic, "2", None),  # type: ignore[arg-type]
    "no settings": lambda crew, topic: crew.group("g", topic, 1, [1]),  # type: ignore[arg-type]
    "one member of several": lambda crew, topic: crew.group(
        "g", topic, 2, {"group.instance.id": "a"}
    ),
    "another cluster": lambda crew, topic: crew.group(
        "g", topic, 1, {"metadata.broker.list": "elsewhere:9092"}
    ),
    "another group": lambda crew, topic: crew.group("g", topic, 1, {"group.id": "other"}),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_is_no_group_is_refused(crew: Crew, ask: Callable[[Crew, Any], object]) -> None:
    with pytest.raises(UsageError, match=r"expected .* saw|leave it out"):
        ask(crew, Topic("t"))
