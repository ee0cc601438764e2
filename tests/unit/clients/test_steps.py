"""A client that is told each step: what it answers, what it is refused by, and when it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.unit.clients.conftest import Launching

from highwater.harness.clients.process import CONFLUENT, Event, Launch
from highwater.harness.clients.steps import Steps, require_done
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)
from highwater.harness.processes.warden import Warden
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.sent import Sent
from highwater.harness.workloads.transactions import AbortDemandedError

READY = 'import json; say(\'{"event": "ready"}\');'
ANSWERS = """
for line in sys.stdin:
    told = json.loads(line)
    if told["do"] == "stop":
        break
    {answer}
say('{{"event": "ended"}}')
"""
DONE = 'say(json.dumps({"event": "done", "step": told["step"], "sent": [[7, told["do"]]]}))'
NOT_DONE = (
    'say(json.dumps({"event": "refused", "step": told["step"], "kind": told["do"], "text": "no"}))'
)


def answering(answer: str) -> str:
    return f"{READY}exec({ANSWERS.format(answer=answer)!r})"


def nobody(_client: str, _event: Event) -> None:
    pass


def test_a_step_is_answered_and_what_else_is_said_is_heard(launching: Launching) -> None:
    heard: list[str] = []
    steps = Steps(launching(answering(DONE)), lambda _client, event: heard.append(event["event"]))

    with steps:
        answers = [steps.ask("send", 30), steps.ask("flush", 30)]

    assert [answer["sent"] for answer in answers] == [[[7, "send"]], [[7, "flush"]]]
    assert heard == ["ready", "stopping", "ended"]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        ("UsageError", UsageError),
        ("DeadlineError", DeadlineError),
        ("PreconditionError", PreconditionError),
        ("AbortDemandedError", AbortDemandedError),
        ("InfrastructureError", InfrastructureError),
        ("RecordError", InfrastructureError),
    ],
)
def test_a_step_is_refused_by_what_was_raised(
    launching: Launching, kind: str, raised: type[Exception]
) -> None:
    with Steps(launching(answering(NOT_DONE)), nobody) as steps:
        answer = steps.ask(kind, 30)

    with pytest.raises(raised, match=r"^no$") as caught:
        require_done(answer)
    assert type(caught.value) is raised


def test_who_does_not_answer_is_not_waited_for_any_longer(launching: Launching) -> None:
    with Steps(launching(answering("pass")), nobody) as steps:
        expected = r"waited 0\.\d s for client-1 to say what has come of 'flush'.*look at .*\.log"
        with pytest.raises(DeadlineError, match=expected):
            steps.ask("flush", 0.1)


def test_who_was_killed_is_told_nothing(launching: Launching) -> None:
    with Steps(launching(answering(DONE)), nobody) as steps:
        steps.process.kill()

        with pytest.raises(UsageError, match="client-1 to live when it is told to send, saw that "):
            steps.ask("send", 30)


def test_who_ends_in_the_middle_of_a_step_says_why(launching: Launching) -> None:
    program = answering("sys.exit('out of luck')")

    with (
        pytest.raises(InfrastructureError, match=r"client-1 ended by itself.*\n.*out of luck"),
        Steps(launching(program), nobody) as steps,
    ):
        steps.ask("send", 30)


def test_nothing_that_was_not_acknowledged_has_an_offset() -> None:
    sent = Sent(3, 3)
    sent.learn({"waiting": 1, "acked": 0, "span": None, "failed": [], "unknown": ["B", "A"]})

    with pytest.raises(PreconditionError, match=r"an offset of 3 records .* saw none .*: A, B"):
        _ = sent.end_offset
    assert (sent.span, sent.all_acked, sent.waiting) == ("none", False, 1)
    sent.learn({"waiting": 0, "acked": 3, "span": [4, 7], "failed": [], "unknown": []})
    assert (sent.first_offset, sent.end_offset, sent.all_acked) == (4, 7, True)


# -- our own client, where there is no broker


@pytest.fixture
def stepper(tmp_path: Path) -> Iterator[Steps]:
    place = {"directory": str(tmp_path), "origin_ns": 0, "number": 1}
    order: dict[str, Any] = {"role": "steps", "client": "sender", "bootstrap": "127.0.0.1:1"}
    with Warden() as warden:
        log = tmp_path / "sender.log"
        launch = Launch({**order, "record": place}, log, warden.group, CONFLUENT)
        with Steps(launch, nobody) as steps:
            yield steps
        assert log.read_text() == ""


def opening(name: str, **settings: Any) -> dict[str, Any]:
    told = asdict(ProducerSettings(**settings))
    address = {"bootstrap": "127.0.0.1:1"}
    return {"name": name, "settings": told, "transactional": False, **address}


def sending(number: int, first_value: int) -> dict[str, Any]:
    where = ["orders", 0, 2]
    return {"number": number, "where": where, "first_value": first_value, "count": 2}


def test_what_nobody_takes_is_on_the_record_and_the_next_producer_lives_on(
    stepper: Steps, tmp_path: Path
) -> None:
    for name, first_value in (("producer-1", 11), ("producer-2", 21)):
        require_done(stepper.ask("open", 30, **opening(name, delivery_timeout_s=0.5)))
        told = stepper.ask("send", 30, **sending(1, first_value))
        ((_, waiting),) = told["sent"]
        ((_, flushed),) = stepper.ask("flush", 30)["sent"]
        closed = stepper.ask("close", 30)

        assert waiting["waiting"] == 2
        assert (flushed["waiting"], flushed["unknown"]) == (0, ["_MSG_TIMED_OUT"] * 2)
        assert closed["sent"] == []

    stepper.__exit__(None, None, None)
    rows = [
        row
        for part in sorted((tmp_path / "history").glob("part-sender-*.parquet"))
        for row in pq.read_table(part).to_pylist()
        if row["outcome"] == "unknown"
    ]
    assert [(row["client"], row["value"]) for row in rows] == [
        ("producer-1", 11),
        ("producer-1", 12),
        ("producer-2", 21),
        ("producer-2", 22),
    ]
    assert {row["topic"] for row in rows} == {"orders#2"}


def test_a_producer_that_is_not_there_is_told_nothing(stepper: Steps) -> None:
    with pytest.raises(UsageError, match="expected a producer that is told to flush, saw none"):
        require_done(stepper.ask("flush", 30))


def test_what_was_to_be_known_and_nobody_says_is_an_answer(stepper: Steps) -> None:
    require_done(stepper.ask("open", 30, **opening("producer-1", delivery_timeout_s=0.2)))

    with pytest.raises(DeadlineError, match="the metadata of orders"):
        require_done(stepper.ask("know", 30, where=["orders", 0, 1]))
