"""How clients are set: what their library would refuse is refused, and all is on the record."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from tests.unit.clients.conftest import Topic

from highwater.harness.clients.crew import Crew
from highwater.harness.clients.settings import (
    STRATEGY,
    ConsumerSettings,
    PipelineSettings,
    Transactions,
)
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings


@pytest.mark.parametrize(
    ("library", "why"),
    [
        ({"nonsense": 1}, 'No such configuration property: "nonsense"$'),
        ({"partition.assignment.strategy": "sticky"}, "Unsupported .*strategy: sticky$"),
        ({"session.timeout.ms": 0}, r"outside allowed range 1\.\.3600000$"),
        ({"max.poll.interval.ms": 1}, "must be >= `session.timeout.ms`$"),
        ({"auto.offset.reset": "never"}, 'Invalid value "never"'),
        ({"auto.commit.interval.ms": [1]}, "Invalid value"),
    ],
)
def test_what_the_library_of_a_member_would_refuse_is_refused(
    crew: Crew, library: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(str(library))} cannot be settings .*{why}"):
        crew.group("g", Topic("t"), 1, ConsumerSettings(library=library))


@pytest.mark.parametrize("name", ["range", "roundrobin", "cooperative-sticky"])
def test_whoever_deals_out_in_the_library_may_do_so(crew: Crew, name: str) -> None:
    settings = ConsumerSettings(library={"partition.assignment.strategy": name})

    assert crew.group("g", Topic("t"), 1, settings).members


def test_by_what_members_deal_is_a_setting_of_its_own_and_on_the_record(crew: Crew) -> None:
    settings = ConsumerSettings(assignor="roundrobin")

    (member,) = crew.group("g", Topic("t"), 1, settings).members

    assert member.order["settings"]["library"] == {STRATEGY: "roundrobin"}
    assert settings.recorded[STRATEGY] == "roundrobin"
    assert ConsumerSettings(library={STRATEGY: "range"}).recorded[STRATEGY] == "range"
    assert STRATEGY not in ConsumerSettings().recorded


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (ConsumerSettings(assignor="sticky"), "Unsupported .*strategy: sticky$"),
        (ConsumerSettings(assignor="sticki"), "expected an assignor of 'range', .* saw 'sticki'$"),
        (
            ConsumerSettings(assignor="range", protocol="consumer"),
            "expected an assignor of None with the protocol 'consumer', saw 'range'$",
        ),
    ],
)
def test_an_assignor_that_members_cannot_deal_by_is_refused(
    crew: Crew, settings: ConsumerSettings, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        crew.group("g", Topic("t"), 1, settings)


@pytest.mark.parametrize("client", [OURS, "java", "java:3.9.1", "franz-go", "aiokafka"])
def test_by_what_members_deal_is_said_once_whichever_client_they_are(
    crew: Crew, client: str
) -> None:
    twice = ConsumerSettings(assignor="range", library={STRATEGY: "range"})
    why = rf"^{STRATEGY} is in library and in assignor; leave it out of one$"

    with pytest.raises(UsageError, match=why):
        crew.group("g", Topic("t"), 1, twice, client)
    with pytest.raises(UsageError, match=why):
        twice.described_on(find_kafka("4.1.1"))


def test_how_a_client_is_set_stands_on_the_timeline_where_it_begins(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    record = crew._scene.record
    monkeypatch.setattr(
        record,
        "event",
        lambda kind, text, **data: told.append({"text": text, **data}),
        raising=False,
    )
    sends = crew.load(
        Topic("p"),
        500,
        ProducerSettings(retries=9, linger_ms=5, batch_records=7),
        Transactions(records=30),
    )
    (member,) = crew.group("g", Topic("t"), 1, ConsumerSettings(processing_s=0.5)).members

    monkeypatch.setattr(record, "now_ns", lambda: 0, raising=False)
    for name in (sends.name, member.name, "an-application"):
        crew._hear(name, {"event": "ready"})
    crew._hear(sends.name, {"event": "ended"})

    begun, joined, app, ended = told
    assert begun["text"] == f"{sends.name}: started"
    wanted = {"acks": "all", "idempotence": True, "retries": 9, "linger_ms": 5, "batch_records": 7}
    assert {name: begun["settings"][name] for name in wanted} == wanted
    assert begun["settings"]["rate_per_s"] == 500
    assert begun["settings"]["transactions"] == {"records": 30, "abort_every": None}
    assert joined["settings"]["processing_s"] == 0.5
    assert "settings" not in {**app, **ended}
    json.dumps(told)


def test_an_interval_is_told_to_the_library_and_stands_on_the_record() -> None:
    settings = ConsumerSettings(max_poll_interval_s=7.5)

    assert settings.described_on(find_kafka("4.1.1"))["library"] == {"max.poll.interval.ms": 7_500}
    assert settings.recorded["max.poll.interval.ms"] == "7500"
    assert "max.poll.interval.ms" not in ConsumerSettings().recorded
    own = ConsumerSettings(library={"max.poll.interval.ms": 8_000})
    assert own.recorded["max.poll.interval.ms"] == "8000"


def test_an_interval_within_a_session_is_refused(crew: Crew) -> None:
    with pytest.raises(UsageError, match=r"must be >= `session.timeout.ms`$"):
        crew.group("g", Topic("t"), 1, ConsumerSettings(max_poll_interval_s=2))


def test_a_member_without_an_interval_cannot_be_kept_busy(crew: Crew) -> None:
    (member,) = crew.group("g", Topic("t"), 1, ConsumerSettings()).members

    with pytest.raises(UsageError, match="expected ConsumerSettings with a max_poll_interval_s"):
        member.keep_busy(8)


def test_a_member_of_a_pipeline_cannot_be_kept_busy(crew: Crew) -> None:
    pipes = crew.pipeline("p", Topic("t"), Topic("into"), 1, PipelineSettings())

    with pytest.raises(UsageError, match="expected ConsumerSettings with a max_poll_interval_s"):
        pipes.members[0].keep_busy(8)


BUSY = ConsumerSettings(max_poll_interval_s=7)


def test_a_member_that_has_not_begun_cannot_be_kept_busy(crew: Crew) -> None:
    (member,) = crew.group("g", Topic("t"), 1, BUSY).members

    with pytest.raises(UsageError, match="has not been started"):
        member.keep_busy(8)


@pytest.mark.parametrize(
    ("process", "words"),
    [
        ({"_has_begun": True, "_is_killed": True}, "saw that it is gone"),
        ({"is_paused": True}, "saw that it is frozen"),
    ],
)
def test_a_member_that_does_nothing_cannot_be_kept_busy(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, process: dict[str, bool], words: str
) -> None:
    (member,) = crew.group("g", Topic("t"), 1, BUSY).members
    for name, value in process.items():
        monkeypatch.setattr(member._process, name, value)
    monkeypatch.setattr(member._process, "is_well", lambda: True)

    with pytest.raises(UsageError, match=words):
        member.keep_busy(8)


def test_a_member_that_is_busy_cannot_be_kept_busy(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    (member,) = crew.group("g", Topic("t"), 1, BUSY).members
    monkeypatch.setattr(member._process, "is_well", lambda: True)
    monkeypatch.setattr(member, "_heard", lambda *_: None)
    member.keep_busy(0.001)
    wait_until(lambda: time.monotonic() > member._busy_until_s, "it to be busy no more", 5)
    member.keep_busy(20)

    with pytest.raises(UsageError, match="saw that it is, for another"):
        member.keep_busy(0.5)


def test_a_member_in_another_language_keeps_its_topics(crew: Crew) -> None:
    (member,) = crew.group("g", Topic("t"), 1, ConsumerSettings()).members
    member.order = {**member.order, "command": ["an-adapter"]}

    with pytest.raises(UsageError, match="is in another language, and keeps its topics"):
        member.subscribe([])


@pytest.mark.parametrize("for_s", [0, -1, 26, 1e-7, float("nan"), True, "8"])
def test_a_time_that_nobody_can_be_busy_for_is_refused(crew: Crew, for_s: Any) -> None:
    settings = ConsumerSettings(max_poll_interval_s=7)
    (member,) = crew.group("g", Topic("t"), 1, settings).members

    with pytest.raises(UsageError, match=r"expected for_s of 0.001 to 25 seconds, saw"):
        member.keep_busy(for_s)


def test_clients_begin_where_their_gate_is(crew: Crew) -> None:
    (member,) = crew.group("g", Topic("t"), 1, ConsumerSettings()).members

    assert member.order["bootstrap"] == crew._scene.cluster.client_bootstrap
