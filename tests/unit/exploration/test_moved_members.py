"""A coordinator that moves while a member takes its group over; with a literal group."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.exploration.test_members import Played, played

from highwater.exploration import members as of_members
from highwater.exploration.asking import patiently
from highwater.harness.probes.wire import AnswerError

__all__ = ["played"]
NOT_COORDINATOR = 16


def test_one_member_joins_however_often_it_is_asked_what_it_gets(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([NOT_COORDINATOR, None])

    def sync(*_: object) -> bytes:
        if code := next(answers):
            raise AnswerError("what m1 gets", code)
        return b""

    def ask(question: Callable[[object], Any]) -> Any:
        return patiently(lambda: question(None))

    monkeypatch.setattr(of_members, "sync_group", sync)
    monkeypatch.setattr(played.group, "asking", SimpleNamespace(coordinator=ask))

    played.do(played.members.take_over)

    assert played.coordinator.asked == ["join"]
    assert str(played.members) == "member"
    assert played.members._there == {"m1"}
