"""What the pytest fixtures stand on: shared clusters, recorded plays, verdicts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from highwater.backends import Backend, make_site
from highwater.campaign import trial_of, write_results
from highwater.cells import Cell, Result
from highwater.checkers.judge import judge
from highwater.checkers.session import start_session, stop_session
from highwater.fetching import runtime_with_progress
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import Answer, Ending, Scenario, Verdict
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import write_verdicts
from highwater.harness.trial import Played, Stage, staged
from highwater.harness.versions.catalogue import find_kafka
from highwater.workshop import workshop

Named = tuple[str, int]  # the Kafka and the number of the trial
OF_A_CLUSTER = ("settings", "gated_clients", "gated_metadata", "malleable")
LASTING = ("lost-write", "replica-divergence")  # what "no claim named" must at least decide


class Suite:
    """One pytest session: clusters by Kafka and settings, and what was played on them."""

    def __init__(self, place: Path, out: Path, backend: Backend, stack: ExitStack) -> None:
        self._place = place
        self._out = out
        self._backend = backend
        self._stack = stack
        self._numbers = itertools.count(1)
        self._clusters: dict[tuple[Any, ...], tuple[ExitStack, KafkaCluster]] = {}
        self._runtimes: dict[str, Runtime] = {}
        self.results: dict[tuple[str, str], Result] = {}

    def cluster(self, name: str, options: Mapping[str, Any]) -> KafkaCluster:
        """A healthy cluster; at most one runs at a time, for memory's sake.

        Of the options of a test those OF_A_CLUSTER say what it is like.
        """
        wanted = {each: options[each] for each in OF_A_CLUSTER if each in options}
        spec = ClusterSpec(**wanted, quiet_replication_links=False)
        key = (name, *spec.key)
        if key in self._clusters:
            return self._clusters[key][1]
        self.close_clusters()
        runtime = self._runtime(name)
        stack = self._stack.enter_context(ExitStack())
        directory = self._place / f"cluster-{next(self._numbers)}"
        site = make_site(self._backend, runtime, directory, lambda _text: None)
        cluster = KafkaCluster(site, spec)
        self._clusters[key] = stack, stack.enter_context(cluster)
        return cluster

    def close_clusters(self) -> None:
        for stack, _ in self._clusters.values():
            stack.close()
        self._clusters.clear()

    def performance(
        self, cluster: KafkaCluster, name: str, named: Named, options: Mapping[str, Any]
    ) -> Performance:
        """A play of the test `name`, not begun yet."""
        kafka, trial = named
        path = self._out / "runs" / name / kafka / str(trial)
        number = next(self._numbers)
        identity = {
            "tool": f"highwater {metadata.version('highwater')}",
            "scenario": name,
            "title": name.replace("_", " "),
            "kafka": kafka,
            "mode": cluster.kafka.mode,
            "backend": self._backend.name,
            "control": None,
            "settings": dict(cluster.spec.settings),
            "claims": list(options.get("claims", LASTING)),
            "expected": "clean",
            "trial": trial,
            "topic": re.sub(r"[^\w.-]", "-", f"{name}-{number}")[-200:],
            **cluster.site.identity,
        }
        replicas = options.get("replicas", 3)
        context = staged(cluster, path, identity, replicas)
        return Performance(self, context, identity, options)

    def judge(self, played: Played, identity: Mapping[str, Any], *, every_claim: bool) -> str:
        """Judge what was played; returns why the test fails, or nothing."""
        if not played.cluster_usable:
            self.close_clusters()
        run = open_run(played.path)
        verdicts = judge([run])[run.path]
        write_verdicts(run.path, verdicts)
        name, claims = str(identity["scenario"]), tuple(identity["claims"])
        kafka = find_kafka(str(identity["kafka"]))
        cell = Cell(scenario=_as_scenario(name, claims), kafka=kafka, control=None)
        trial = trial_of(cell, played, verdicts, run)
        self.results.setdefault((name, kafka.name), Result(cell)).trials.append(trial)
        if not played.complete:
            return f"inconclusive: {played.reason}; the record: {run.path}"
        return _problem(verdicts, None if every_claim else set(claims), trial.ending, run.path)

    def finish(self) -> None:
        self.close_clusters()
        if self.results:
            write_results(self._out, list(self.results.values()))

    def _runtime(self, name: str) -> Runtime:
        if name not in self._runtimes:
            self._runtimes[name] = runtime_with_progress(find_kafka(name), offline=False)
        return self._runtimes[name]


class Performance:
    """One test's play: begun by its fixture, ended and judged once, when the test is over."""

    def __init__(
        self,
        suite: Suite,
        context: AbstractContextManager[Stage],
        identity: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        self._suite = suite
        self._context = context
        self._identity = identity
        self._options = options
        self._stage: Stage | None = None

    def begin(self) -> Play:
        """Create the topic; the play is ready when this returns."""
        self._stage = self._context.__enter__()
        try:
            self._stage.play.create({"min.insync.replicas": "2", **self._options.get("topic", {})})
        except BaseException:
            self.end()
            raise
        return self._stage.play

    def end(self) -> str:
        """Heal, settle, read and judge, once; returns why the test fails, or nothing."""
        stage, self._stage = self._stage, None
        if stage is None:
            return ""
        self._context.__exit__(None, None, None)
        if stage.played is None:
            raise InfrastructureError(f"{self._identity['scenario']} was not played to its end")
        every_claim = "claims" not in self._options
        return self._suite.judge(stage.played, self._identity, every_claim=every_claim)


def _problem(verdicts: list[Verdict], claims: set[str] | None, ending: Ending, record: Path) -> str:
    violated = [
        verdict
        for verdict in verdicts
        if verdict.answer is Answer.VIOLATED and (claims is None or verdict.claim in claims)
    ]
    if violated:
        told = "\n".join(
            f"  {verdict.claim}: {verdict.anomalies} of {verdict.considered}; "
            f"first: {dict(verdict.witnesses[0]) if verdict.witnesses else verdict.reason}"
            for verdict in violated
        )
        return f"violated:\n{told}\nthe record: {record}"
    if ending is Ending.INCONCLUSIVE:
        unknown = [each for each in verdicts if each.answer is Answer.UNKNOWN]
        told = "; ".join(f"{each.claim}: {each.reason}" for each in unknown)
        return f"no evidence for a claim that must hold: {told}\nthe record: {record}"
    return ""


def _as_scenario(name: str, claims: tuple[str, ...]) -> Scenario:
    return Scenario(
        name=name,
        story=name.replace("_", " "),
        play=lambda _play: None,
        source="a test",
        reproduces="",
        claims=claims,
    )


@contextmanager
def suite(out: Path | None, backend: Backend) -> Generator[Suite]:
    """A suite whose clusters end with it; `out` keeps its runs and gets the report."""
    if out is not None and (out / "compare.json").exists():
        raise UsageError(f"{out} already holds results; choose another --highwater-report")
    start_session()
    with ExitStack() as stack:
        place = stack.enter_context(workshop())
        opened = Suite(place, out or place / "results", backend, stack)
        stack.callback(stop_session)
        stack.callback(opened.finish)
        yield opened
