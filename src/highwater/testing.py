"""What the pytest fixtures stand on: shared clusters, recorded plays, verdicts."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from highwater.account import Account, above_limits, inconclusive
from highwater.attaching import attached_cluster
from highwater.backends import make_site
from highwater.checkers.catalogue import claims
from highwater.checkers.judge import judge_beside
from highwater.checkers.session import start_session, stop_session
from highwater.fetching import runtime_with_progress
from highwater.grounds import Grounds
from highwater.harness.attached import AttachedCluster
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import (
    HighwaterError,
    InfrastructureError,
    PreconditionError,
    RecordError,
    UsageError,
)
from highwater.harness.judgement import undecided
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import Answer
from highwater.harness.play import Play
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.trial import Played, Stage, staged
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.identity import Identity, Subject, topic_of
from highwater.limits import Kept, kept
from highwater.marking import Marked
from highwater.measured import final_readers
from highwater.reports.wording import slug
from highwater.violations import violation
from highwater.workshop import workshop

LONGEST_NAME = 100  # characters of a run directory

AnyCluster = KafkaCluster | AttachedCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class ChaosTest:
    """A test that is about to be played."""

    node_id: str  # pytest's
    name: str  # what stands behind the last :: of it
    command: str  # that repeats it
    kafka: str  # as the user named it
    trial: int
    marked: Marked

    @property
    def claims(self) -> list[str]:
        """Those that must not be violated."""
        return list(self.marked.claims) or [each.name for each in claims()]


class Suite:
    """One pytest session: clusters by Kafka and settings, and what was played on them."""

    def __init__(self, place: Path, grounds: Grounds, stack: ExitStack) -> None:
        self._place = place
        self._grounds = grounds
        self._out = grounds.out or place / "results"
        self._keeps_in = grounds.out or grounds.keeps_in
        self._backend = grounds.backend
        self._stack = stack
        self.waited_s = 0.0  # for room, all clusters together
        self._cluster_numbers = itertools.count(1)
        self._clusters: dict[tuple[Any, ...], tuple[ExitStack, AnyCluster]] = {}
        self._runtimes: dict[str, Runtime] = {}

    def cluster(self, name: str, marked: Marked) -> AnyCluster:
        """A healthy cluster as the marker wants it; at most one runs at a time, for its memory."""
        spec = self._backend.fitted(marked.spec)
        key = (find_kafka(name).name, *spec.key)
        if key in self._clusters:
            return self._clusters[key][1]
        self.close_clusters()
        stack = self._stack.enter_context(ExitStack())
        self._take_room(stack)
        cluster = self._made(find_kafka(name), spec)
        stack.enter_context(cluster)
        self._clusters[key] = stack, cluster
        return cluster

    def _take_room(self, stack: ExitStack) -> None:
        if self._grounds.room is not None and not self._backend.is_attached:
            stack.callback(self._grounds.room.give)
            self.waited_s += self._grounds.room.take()

    def _made(self, kafka: Kafka, spec: ClusterSpec) -> AnyCluster:
        """Not begun yet."""
        if self._backend.is_attached:
            return attached_cluster(kafka, self._backend)
        directory = self._place / f"cluster-{next(self._cluster_numbers)}"
        runtime = self._runtime(kafka)
        return KafkaCluster(make_site(self._backend, runtime, directory, lambda _text: None), spec)

    def close_clusters(self) -> None:
        for stack, _ in self._clusters.values():
            stack.close()
        self._clusters.clear()

    def performance(self, cluster: AnyCluster, test: ChaosTest) -> Performance:
        """A play of a test, not begun yet."""
        number = next(self._grounds.numbers)
        who = f"{self._grounds.worker}-" if self._grounds.worker else ""
        is_foreign = self._backend.is_attached or self._backend.project is not None
        new = [token_hex(4)] if is_foreign else []  # others may have played there
        run = f"runs/{who}{number}-{slug(test.name)[:LONGEST_NAME]}"
        subject = Subject(
            names={
                "test": test.node_id,
                "command": test.command,
                "needs_evidence_for": list(test.marked.needs_evidence_for(self._backend)),
            },
            title=test.name.partition("[")[0].replace("_", " "),
            claims=test.claims,
            voters=cluster.spec.voters,
            settings=cluster.spec.settings,
            topic_settings=test.marked.topic_settings,
        )
        identity = Identity(
            subject=subject,
            kafka=cluster.kafka,
            backend=self._backend,
            trial=test.trial,
            topic=topic_of(test.name.partition("[")[0], *new, str(number)),
        ).described(cluster.identity)
        context = staged(cluster, self._out / run, identity)
        return Performance(self, context, test, run)

    def judge(self, played: Played, test: ChaosTest) -> Account:
        """Judge what was played: what must hold held, with evidence, or why it is not so."""
        run = open_run(played.path)
        rewritten = run.identity.get("rewritten", {})
        return replace(self._judged(run, played, test), rewritten=rewritten)

    def _judged(self, run: StoredRun, played: Played, test: ChaosTest) -> Account:
        verdicts = judge_beside([run])[run.path]
        asked = [each for each in verdicts if each.claim in test.claims]
        violated = [violation(each, run) for each in asked if each.answer is Answer.VIOLATED]
        limits = _limits_kept(run, test.marked.limits)
        where = f"the record: {self._kept_at(run.path)}"
        if violated:
            reason = f"violated: {', '.join(each.claim for each in violated)}"
            told = [reason, *(str(each) for each in violated), *limits.exceeded]
            return Account(
                outcome="failed",
                reason=reason,
                text="\n".join([*told, where]),
                violated=[each.described() for each in violated],
            )
        if not played.complete:
            return inconclusive(played.reason, *limits.exceeded, where)
        if limits.exceeded:
            return above_limits(limits.exceeded, where)
        unknown = undecided(test.marked.needs_evidence_for(self._backend), verdicts)
        if unknown:
            return inconclusive(
                f"no evidence for a claim that must hold: {'; '.join(unknown)}", where
            )
        if limits.unmeasured:
            return inconclusive(f"no evidence for a limit: {'; '.join(limits.unmeasured)}", where)
        return Account(outcome="passed")

    def keep(self, run: Path) -> str:
        """What is said of the record of a test that did not pass, which stays from now on."""
        kept = self._kept_at(run)
        if kept != run and run.exists():
            try:
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(run, kept)
            except OSError as error:
                return f"the record cannot be kept at {kept}: {error}"
        return f"the record: {kept}"

    def _kept_at(self, run: Path) -> Path:
        return self._keeps_in / run.relative_to(self._out)

    def _runtime(self, kafka: Kafka) -> Runtime:
        if kafka.name not in self._runtimes:
            self._runtimes[kafka.name] = runtime_with_progress(kafka, offline=False)
        return self._runtimes[kafka.name]


class Performance:
    """One test's play: begun by its fixture, ended and judged once, when the test is over."""

    def __init__(
        self, suite: Suite, context: AbstractContextManager[Stage], test: ChaosTest, run: str
    ) -> None:
        self.run = run  # its directory, relative to the report
        self._suite = suite
        self._context = context
        self._test = test
        self._stage: Stage | None = None

    def begin(self) -> Play:
        """The play is ready when this returns."""
        self._stage = self._context.__enter__()
        return self._stage.play

    def end(self, raised: BaseException | None = None) -> Account:
        """Heal, settle, read and judge; `raised` is what the test's own code did not catch.

        Nothing that breaks here is held against Kafka, or hides what the test raised.
        """
        if self._stage is None:
            return inconclusive("the play was over before its test")
        is_mistake = isinstance(raised, UsageError)
        doubt = raised if isinstance(raised, HighwaterError) and not is_mistake else None
        try:
            if raised is not None and doubt is None:  # the test fails by it, the play goes on
                words = f"the test raised {type(raised).__name__}: {raised}"
                self._stage.play.record.event("note", words)
            played = self._close(doubt)
            return self._kept(self._suite.judge(played, self._test), played, raised)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test has to hear of it
            self._suite.close_clusters()
            return inconclusive(f"the play could not be ended and judged: {error!r}")
        except BaseException:  # of pytest-timeout, for one: what it stopped is left in the middle
            self._suite.close_clusters()
            raise

    def _kept(self, account: Account, played: Played, raised: BaseException | None) -> Account:
        """Of a test that did not pass, whose record stays."""
        if account.outcome == "passed":
            if raised is not None:  # it is shown as pytest shows it
                raised.add_note(self._suite.keep(played.path))
            return account
        said = self._suite.keep(played.path)
        told = account.text if said in account.text else f"{account.text}\n{said}"
        return replace(account, text=told)

    def leave(self, reason: str) -> None:
        """End the play, if it is not over, without asking the judge."""
        if self._stage is not None:
            self._close(PreconditionError(reason))

    def abandon(self, error: BaseException) -> None:
        """Heal, if the play is not over, and wait for nothing: the session is about to end."""
        stage, self._stage = self._stage, None
        if stage is not None:
            with suppress(type(error)):
                self._context.__exit__(type(error), error, error.__traceback__)
            self._suite.close_clusters()

    def _close(self, doubt: HighwaterError | None = None) -> Played:
        """Leave the context of the play; `doubt` is what makes it prove nothing."""
        stage, self._stage = self._stage, None
        trace = doubt.__traceback__ if doubt else None
        self._context.__exit__(type(doubt) if doubt else None, doubt, trace)
        if stage is None or stage.played is None:
            raise InfrastructureError(f"{self._test.node_id} was not played to its end")
        if not stage.played.cluster_usable:
            self._suite.close_clusters()
        return stage.played


def _limits_kept(run: StoredRun, limits: Mapping[str, float]) -> Kept:
    """By what was measured of all clients but those that read topics to their ends at last."""
    if not limits:
        return Kept()
    try:
        last = final_readers(run)
        measures, recoveries = run.measures().to_pylist(), run.recoveries().to_pylist()
        rebalances, lags = run.rebalances().to_pylist(), run.lags().to_pylist()
    except RecordError as error:  # claims that were violated are violated all the same
        return Kept(unmeasured=[str(error)])
    own = [row for row in measures if row["client"] not in last]
    return kept(limits, own, recoveries, rebalances, lags)


@contextmanager
def suite(grounds: Grounds) -> Generator[Suite]:
    """A suite whose clusters end with it."""
    start_session()
    with ExitStack() as stack:
        place = stack.enter_context(workshop())
        opened = Suite(place, grounds, stack)
        stack.callback(stop_session)
        stack.callback(opened.close_clusters)
        yield opened
