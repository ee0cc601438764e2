"""Campaigns whose clusters do not start, do not end, or whose user has seen enough."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from highwater import campaign, clusters
from highwater.campaign import Campaign, carry_out
from highwater.cells import Cell, Result, make_cells
from highwater.clusters import Clusters
from highwater.harness import patience
from highwater.harness.errors import InfrastructureError, Interrupted, UsageError
from highwater.harness.model import Ending
from highwater.harness.record.writer import RunRecord
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.scenarios.catalogue import find_scenario


class Cluster:
    """What a campaign asks of one."""

    def __init__(self, site: Any, spec: object, error: BaseException | None = None) -> None:
        self.site = site
        self.error = error
        self.identity: dict[str, Any] = {}
        self.ended = False

    def __enter__(self) -> Self:
        if isinstance(self.site.error, BaseException):
            raise self.site.error
        return self

    def __exit__(self, *_error: object) -> None:
        self.ended = True
        if self.site.stubborn:
            raise InfrastructureError("a container is still there")


class Sites:
    """The sites that a campaign asks for, in their order, each as it is told to be."""

    def __init__(self, *errors: BaseException | None, stubborn: bool = False) -> None:
        self._errors = iter(errors)
        self._stubborn = stubborn
        self.made = 0

    def make(self, *_arguments: object) -> Any:
        self.made += 1
        error = next(self._errors, None)
        return SimpleNamespace(identity={}, error=error, stubborn=self._stubborn)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Kafka, no Spark, and a process that nobody has told to end."""
    monkeypatch.setattr(patience, "_state", patience._State())
    monkeypatch.setattr(clusters, "KafkaCluster", Cluster)
    monkeypatch.setattr(campaign, "start_session", lambda: None)
    monkeypatch.setattr(campaign, "judge_beside", lambda runs: {run.path: [] for run in runs})
    monkeypatch.setattr(campaign, "write_results", lambda _out, _results: None)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sites], None]:
    return lambda sites: monkeypatch.setattr(clusters, "make_site", sites.make)


def complete(
    _scenario: object, _cluster: object, path: Path, identity: Mapping[str, Any]
) -> Played:
    with RunRecord(path, identity) as record:
        record.end({"complete": True, "reason": None, "seconds": 1.0})
    return Played(path, complete=True, reason="", seconds=1.0, cluster_usable=True)


def cells() -> list[Cell]:
    kafkas = [find_kafka(name) for name in ("2.8.2", "3.5.2")]
    return make_cells([find_scenario("hw-two-fetches")], kafkas, [])


def campaign_of(out: Path, warnings: list[str] | None = None) -> Campaign:
    runtimes: Any = {cell.kafka.name: None for cell in cells()}
    return Campaign(
        cells=cells(), trials=2, out=out, workshop=out, runtimes=runtimes,
        warned=([] if warnings is None else warnings).append,
    )  # fmt: skip


def reasons(result: Result) -> list[str]:
    return [trial.played.reason for trial in result.trials]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InfrastructureError("broker-1 ended by itself"), "broker-1 ended by itself"),
        (TimeoutError("ZooKeeper does not answer"), "TimeoutError: ZooKeeper does not answer"),
    ],
)
def test_a_cluster_that_never_starts_costs_its_own_trials_and_the_rest_is_played(
    use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, reason: str
) -> None:
    use(sites := Sites(error, error))
    monkeypatch.setattr(campaign, "play_once", complete)

    first, second = carry_out(campaign_of(tmp_path))

    assert reasons(first) == [f"no cluster to play on: {reason}"] * 2
    assert first.count(Ending.INCONCLUSIVE) == 2
    assert reasons(second) == ["", ""]
    assert sites.made == 3


def test_a_cluster_that_does_not_start_once_costs_no_trial(
    use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(sites := Sites(TimeoutError("ZooKeeper does not answer")))
    monkeypatch.setattr(campaign, "play_once", complete)

    results = carry_out(campaign_of(tmp_path))

    assert [reasons(result) for result in results] == [["", ""], ["", ""]]
    assert sites.made == 3


def test_a_mistake_in_what_was_asked_is_refused_all_the_same(use: Any, tmp_path: Path) -> None:
    use(Sites(UsageError("there is no such image")))

    with pytest.raises(UsageError, match="no such image"):
        carry_out(campaign_of(tmp_path))


def test_a_cluster_that_does_not_end_as_it_should_is_told_and_costs_nothing(
    use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(Sites(stubborn=True))
    monkeypatch.setattr(campaign, "play_once", complete)
    warnings: list[str] = []

    results = carry_out(campaign_of(tmp_path, warnings))

    assert [reasons(result) for result in results] == [["", ""], ["", ""]]
    assert warnings == ["a cluster did not end as it should: a container is still there"] * 2


def test_who_is_interrupted_does_not_wait_for_the_judge(
    use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(Sites())
    judging, may_end = threading.Event(), threading.Event()
    judged: list[object] = []
    numbers = itertools.count(1)

    def judge(planned: object, _results: object) -> None:
        judged.append(planned)
        judging.set()
        may_end.wait(600)

    def play(*arguments: Any) -> Played:
        if next(numbers) == 4:
            assert judging.wait(60)
            patience.interrupt()
        return complete(*arguments)

    monkeypatch.setattr(campaign, "BATCH_RUNS", 1)
    monkeypatch.setattr(campaign, "_judge", judge)
    monkeypatch.setattr(campaign, "play_once", play)

    with pytest.raises(Interrupted):
        carry_out(campaign_of(tmp_path))

    may_end.set()
    assert len(judged) == 1


def test_an_interruption_that_a_trial_took_for_a_result_ends_the_campaign(
    use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(Sites())

    def play(*arguments: Any) -> Played:
        with patience.shielded():
            patience.interrupt()
        return complete(*arguments)

    monkeypatch.setattr(campaign, "play_once", play)

    with pytest.raises(Interrupted):
        carry_out(campaign_of(tmp_path))


def test_a_cluster_ahead_that_did_not_start_is_not_handed_out_again(
    use: Any, tmp_path: Path
) -> None:
    use(Sites(None, InfrastructureError("no memory"), None))
    one, other = cells()
    runtimes: Any = {cell.kafka.name: None for cell in cells()}

    with Clusters(tmp_path, runtimes, print, print) as started:
        first: Any = started.take(one)
        started.prepare_next(other)
        with pytest.raises(InfrastructureError, match="no memory"):
            started.take(other)
        second: Any = started.take(other)

        assert first.ended
        assert not second.ended
    assert second.ended


def test_who_is_interrupted_waits_for_the_cluster_that_starts_to_end_what_it_began(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What else removes the directory in which its brokers still write."""
    starting, ended = threading.Event(), threading.Event()

    class Starting(Cluster):
        def __enter__(self) -> Self:
            starting.set()
            try:
                wait_until(lambda: False, "brokers that never serve", 60)
            finally:
                threading.Event().wait(0.3)  # killing them takes a moment
                ended.set()
            return self

    monkeypatch.setattr(clusters, "KafkaCluster", Starting)
    monkeypatch.setattr(clusters, "make_site", Sites().make)
    monkeypatch.setattr(patience, "HURRY_S", 0.2)
    runtimes: Any = {cell.kafka.name: None for cell in cells()}

    with Clusters(tmp_path, runtimes, print, print) as started:
        started.prepare(cells()[0])
        assert starting.wait(60)
        with pytest.raises(Interrupted):
            patience.interrupt()

    assert ended.is_set()
