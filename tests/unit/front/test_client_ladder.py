"""Which cells the ladder of clients has, and what is refused before anything starts."""

from __future__ import annotations

from typing import Any

import pytest

from highwater import client_ladder, playing
from highwater.backends import Backend
from highwater.client_ladder import _cells, _scenarios, clients
from highwater.harness.controls import find_control
from highwater.harness.errors import UsageError
from highwater.harness.foreign import roles
from highwater.harness.scenario import expectation, lines_up_with
from highwater.harness.versions.catalogue import find_kafka
from highwater.playing import Options
from highwater.scenarios.catalogue import find_scenario

OPTIONS = Options(trials=1, backend=Backend(), out=None, offline=True, json=False)
KAFKA = find_kafka("4.1.1")
BOTH = ["producer", "member"]  # of which sarama's members commit when they like
ROLES = {"java": BOTH, "sarama": BOTH, "kafka-go": ["producer"]}
ABLE = ["transactional.id", "transaction.timeout.ms"]
TRANSACTIONS = {"java": ABLE, "sarama": ABLE}


@pytest.fixture
def _nothing_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an adapter says of itself is known without it."""
    for module in (client_ladder, roles):
        monkeypatch.setattr(module, "command_of", lambda name, _kafka: [name])
    monkeypatch.setattr(
        roles,
        "describe",
        lambda words: {"capabilities": _able(words[0].partition(":")[0])},
    )


def _able(client: str) -> dict[str, Any]:
    more = {
        "transactions": TRANSACTIONS.get(client, []),
        "flush": client == "java",
        "pipelines": client == "java",
        "tells_commits": client != "sarama",
    }
    return {"roles": ROLES[client], **more}


@pytest.mark.usefixtures("_nothing_built")
def test_each_scenario_is_played_with_each_client_and_ours_without_a_control() -> None:
    chosen = _scenarios(["client-refused", "client-leader-dies"], KAFKA)

    cells = _cells(chosen, KAFKA, ["confluent", "java:3.9.1"])

    assert [(cell.scenario.name, cell.control) for cell in cells] == [
        ("client-refused", None),
        ("client-refused", "client=java:3.9.1"),
        ("client-leader-dies", None),
        ("client-leader-dies", "client=java:3.9.1"),
    ]


@pytest.mark.usefixtures("_nothing_built")
def test_ours_is_left_out_where_it_is_not_asked_for() -> None:
    cells = _cells(_scenarios(["client-refused"], KAFKA), KAFKA, ["java"])

    assert [cell.control for cell in cells] == ["client=java"]


@pytest.mark.usefixtures("_nothing_built")
def test_a_client_that_can_be_no_member_is_left_out_where_it_would_have_to_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = _scenarios(["client-refused", "client-member-dies"], KAFKA)

    cells = _cells(chosen, KAFKA, ["confluent", "java", "sarama"])

    assert [(cell.scenario.name, cell.control) for cell in cells] == [
        ("client-refused", None),
        ("client-refused", "client=java"),
        ("client-refused", "client=sarama"),
        ("client-member-dies", None),
        ("client-member-dies", "client=java"),
    ]
    said = " ".join(capsys.readouterr().err.split())
    assert said == "without sarama in client-member-dies: it can be no member"


@pytest.mark.usefixtures("_nothing_built")
def test_a_client_without_transactions_is_left_out_where_it_would_need_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = _cells(
        _scenarios(["client-zombie-wakes"], KAFKA), KAFKA, ["confluent", "sarama", "kafka-go"]
    )

    assert [cell.control for cell in cells] == [None, "client=sarama"]
    said = " ".join(capsys.readouterr().err.split())
    assert said == "without kafka-go in client-zombie-wakes: it can be no producer in transactions"


@pytest.mark.usefixtures("_nothing_built")
def test_a_client_without_a_flush_of_its_own_is_left_out_where_that_is_judged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = _cells(_scenarios(["client-flushes"], KAFKA), KAFKA, ["confluent", "java", "sarama"])

    assert [cell.control for cell in cells] == [None, "client=java"]
    said = " ".join(capsys.readouterr().err.split())
    assert said == "without sarama in client-flushes: it can be no producer that flushes"


@pytest.mark.usefixtures("_nothing_built")
def test_who_names_a_scenario_and_a_client_that_cannot_play_it_is_told_before_anything_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[str] = []
    monkeypatch.setattr(
        playing, "play_cells", lambda cells, _: played.extend(each.scenario.name for each in cells)
    )
    kafkas, controls = ["4.1.1"], ["client=sarama"]
    named = ["client-refused", "client-coordinator-dies"]

    for both in (True, False):
        wanted = playing.Wanted(named, kafkas, None, controls, both=both)
        with pytest.raises(UsageError, match="sarama can be no member in client-coordinator-dies"):
            playing.compare(wanted, OPTIONS)
    assert not played

    playing.compare(playing.Wanted([], kafkas, None, controls, both=False), OPTIONS)
    assert "client-refused" in played
    assert "client-coordinator-dies" not in played
    said = " ".join(capsys.readouterr().err.split())
    assert "without sarama in client-coordinator-dies: it can be no member" in said


@pytest.mark.usefixtures("_nothing_built")
def test_a_client_with_one_request_under_way_is_left_out_where_a_third_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = _cells(
        _scenarios(["client-leads-too-soon"], KAFKA), KAFKA, ["confluent", "java", "sarama"]
    )

    assert [cell.control for cell in cells] == [None, "client=java"]
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("without sarama in client-leads-too-soon: it can be no producer with")


@pytest.mark.usefixtures("_nothing_built")
def test_a_client_that_cannot_be_lined_up_is_left_out_whatever_its_version(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = _scenarios(["client-half-written", "client-refused"], KAFKA)

    cells = _cells(chosen, KAFKA, ["confluent", "java"])

    assert [(cell.scenario.name, cell.control) for cell in cells] == [
        ("client-half-written", "client=java"),
        ("client-refused", None),
        ("client-refused", "client=java"),
    ]
    assert not lines_up_with(chosen[0], "confluent-kafka:2.3.0")
    said = " ".join(capsys.readouterr().err.split())
    assert said == "without confluent in client-half-written: it cannot be lined up there"


@pytest.mark.usefixtures("_nothing_built")
def test_where_no_client_can_play_anything_nothing_is_called_well() -> None:
    with pytest.raises(UsageError, match="none of kafka-go can play any of client-zombie-wakes"):
        clients(["kafka-go"], ["client-zombie-wakes"], "4.1.1", OPTIONS)


def test_without_names_all_scenarios_come_that_any_client_can_play() -> None:
    chosen = _scenarios([], KAFKA)

    assert {each.name for each in chosen} >= {"client-refused", "client-leader-dies"}
    assert all(each.any_client for each in chosen)


def test_a_client_is_expected_to_hold_unless_its_failure_is_known() -> None:
    scenario = find_scenario("client-refused")

    assert expectation(scenario, KAFKA, "client=java") == "clean"
    assert find_control("client=java:3.9.1").client == "java:3.9.1"


@pytest.mark.parametrize(
    ("names", "scenarios", "kafka", "message"),
    [
        ([], ["hw-two-fetches"], "4.1.1", "that any client can play, saw hw-two-fetches"),
        (["cobol"], [], "4.1.1", "expected a client of .* saw 'cobol'"),
        (["Java"], [], "4.1.1", "unknown control 'client=Java'"),
        ([], ["client-refused"], "0.10.2.2", "none of client-refused is for 0.10.2.2"),
        ([], [], "9.9.9", "9.9.9"),
    ],
)
def test_what_cannot_be_is_refused(
    names: list[str], scenarios: list[str], kafka: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        clients(names, scenarios, kafka, OPTIONS)
