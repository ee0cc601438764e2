"""Producers that send what a play tells them to, when it does, each in a process of its own."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any

from highwater.harness.clients.load import Heard
from highwater.harness.clients.loading import for_transactions
from highwater.harness.clients.process import Launch
from highwater.harness.clients.senders import NAME, end_at_once, senders
from highwater.harness.clients.steps import Steps, require_done
from highwater.harness.endings import Endings
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.scene import Scene
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.promises import require_send
from highwater.harness.workloads.reaching import handed
from highwater.harness.workloads.sent import Sent

MARGIN_S = 30.0  # above what the client waits for by itself
HAND_OVER_S = 600.0  # for as many records as anybody sends at once
OF_NO_PLAY = 0  # the group of processes of those that outlive it
# Given a name, what is in its order, and the group of its process; None: that of the play.
Launching = Callable[[str, Mapping[str, Any], int | None], Launch]


@dataclass(frozen=True, slots=True)
class Ears:
    """Who hears all that clients say, and who only when they begin and end."""

    all: Heard
    lives: Heard


@dataclass(frozen=True, slots=True)
class Home:
    """The process that a producer lives in, alone or after others, and where it finds brokers."""

    steps: Steps
    bootstrap: str
    is_shared: bool = False


class Told(Lifetime):
    """A producer for the length of a `with`; then every record that it has sent has its outcome.

    It can be killed and frozen like any client. What goes wrong in it is raised, as
    InfrastructureError, by the method that it happens in.
    """

    TRANSACTIONAL = False

    def __init__(self, scene: Scene, home: Home, name: str, settings: ProducerSettings) -> None:
        super().__init__()
        self.name = name  # its client.id, and what the record calls it
        self._scene = scene
        self._home, self._steps = home, home.steps
        self._settings = settings
        self._sent: dict[int, tuple[TopicPartition, Sent]] = {}  # of which not all has ended
        self._numbers = itertools.count()
        self._lock = threading.RLock()  # of its steps: any thread may ask what it waits for
        self._is_closed = False

    def _begin(self) -> None:
        if not self._home.is_shared:
            self._ending.enter_context(self._steps)
        how: dict[str, Any] = {"name": self.name, "settings": asdict(self._settings)}
        how |= {"transactional": self.TRANSACTIONAL, **handed(self._home.bootstrap)}
        self._ask("open", **how)
        self._scene.waits.append(self.waiting)
        self._ending.callback(self._scene.waits.remove, self.waiting)
        self._ending.callback(self._close)

    def kill(self) -> None:
        """SIGKILL; what it had sent is on the record all the same."""
        self._steps.process.kill()

    def paused(self) -> AbstractContextManager[None]:
        """Frozen (SIGSTOP) until the context is left."""
        return self._steps.process.paused()

    def waiting(self, topic: str) -> int:
        """How many records that it has sent to a topic, as the record calls it, are to end yet.

        Of one that is frozen that is what it has told before.
        """
        if not self._steps.process.is_paused:
            with self._lock:
                if self._is_closed or self._steps.process.why_over:
                    return 0  # nobody will hear how they ended
                self._ask("look")
        told = [*self._sent.values()]
        return sum(sent.waiting for where, sent in told if where.told_as == topic)

    def _hand_over(self, where: TopicPartition, count: int, **how: Any) -> Sent:
        values = self._scene.identities(where, count)
        sent, number = Sent(count, count), next(self._numbers)
        told = {"number": number, "where": where, "first_value": values.start, "count": count}
        patterns = self._scene.record.history.patterns
        told["patterns"] = {where.topic: patterns[where.topic]} if where.topic in patterns else {}
        with self._lock:
            self._sent[number] = where, sent
            self._ask("send", HAND_OVER_S, **told, **how)
        return sent

    def _close(self) -> None:
        with self._lock:
            self._is_closed = True
            if not self._steps.process.why_over:
                self._ask("close")

    def _ask(self, do: str, timeout_s: float = 0.0, **what: Any) -> None:
        own_s = self._settings.delivery_timeout_s + self._settings.transaction_timeout_s
        with self._lock:
            answer = self._steps.ask(do, max(timeout_s, own_s + MARGIN_S), **what)
            for number, told in answer["sent"]:
                self._sent[number][1].learn(told)
                if not told["waiting"]:
                    del self._sent[number]
        require_done(answer)


class ToldProducer(Told):
    """Sends without transactions."""

    def send(self, where: TopicPartition, count: int = 1) -> Sent:
        """Send so many records, without waiting for anything.

        What is returned learns how they have ended whenever the producer is told anything.
        """
        require_send(count, None, ())
        return self._hand_over(where, count)

    def await_metadata(self, where: TopicPartition) -> None:
        """Have it know who leads: records that wait for that leave in batches of chance."""
        self._ask("know", where=where)

    def look(self) -> None:
        """Learn which records have ended by now."""
        self._ask("look")

    def flush(self) -> None:
        """Wait for every outcome, as long as its delivery timeout and five seconds."""
        self._ask("flush")


class ToldTransactions(Told):
    """One transaction at a time, all of them with one transactional id, which is its name.

    Sends get their outcome with the transaction's: ok when it is committed, failed when it is
    aborted, both as the coordinator has confirmed, else unknown.
    """

    TRANSACTIONAL = True

    def begin(self) -> None:
        self._ask("begin")

    def send(self, where: TopicPartition, *, wait: bool = True) -> None:
        """Send a record; with `wait`, until the broker has acknowledged it."""
        self._hand_over(where, 1, wait=wait)

    def commit(self) -> None:
        self._ask("commit")

    def abort(self) -> None:
        """Records in flight are given up first, which takes as long as one may be delivered."""
        self._ask("abort")

    def renew(self) -> None:
        """Another producer of the same id, which ends whatever the one before has left open.

        What was sent in that has the outcome unknown.
        """
        self._ask("renew")


class Producers:
    """All of a play. Those of `Partition.send` live one after the other in a process that other
    plays have had before, or beside each other in several.
    """

    def __init__(self, scene: Scene, launch: Launching, heard: Ears, ending: Endings) -> None:
        self._scene = scene
        self._launch = launch
        self._heard = heard
        self._ending = ending  # of the play
        self._numbers, self._transactional = itertools.count(1), itertools.count(1)
        self._idle: list[Steps] = []
        self._lock = threading.Lock()
        scene.sends = self.send

    def one(self, settings: ProducerSettings | None) -> ToldProducer:
        """Raises UsageError for what it cannot be set to."""
        chosen = ProducerSettings.of(settings).into_one_partition(self._scene.cluster.kafka)
        name = f"producer-{next(self._numbers)}"
        return ToldProducer(self._scene, self._home(name, chosen), name, chosen)

    def transactions(self, settings: ProducerSettings) -> ToldTransactions:
        """The same of one with transactions."""
        chosen = for_transactions(self._scene.cluster.kafka, settings)
        name = f"transactional-producer-{next(self._transactional)}"
        return ToldTransactions(self._scene, self._home(name, chosen), name, chosen)

    def _home(self, name: str, settings: ProducerSettings) -> Home:
        launch = self._launch(name, {"role": "steps", "settings": asdict(settings)}, None)
        return Home(Steps(launch, self._heard.all), self._scene.cluster.bootstrap)

    def send(
        self, where: TopicPartition, count: int, settings: ProducerSettings, bootstrap: str
    ) -> tuple[str, Sent]:
        """By a producer of its own, and wait for all outcomes; returns what that is called."""
        name = f"producer-{next(self._numbers)}"
        home = Home(steps := self._taken(), bootstrap, is_shared=True)
        with ToldProducer(self._scene, home, name, settings) as producer:
            producer.await_metadata(where)
            sent = producer.send(where, count)
        with self._lock:
            self._idle.append(steps)  # none that something went wrong with
        return name, sent

    def _taken(self) -> Steps:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            return self._begun()

    def _begun(self) -> Steps:
        launch = self._launch(NAME, {"role": "steps", "settings": {}}, OF_NO_PLAY)
        steps = senders.take()
        self._ending.callback(self._give_back, steps)
        steps.begin(launch, self._heard.lives)
        return steps

    def _give_back(self, steps: Steps) -> None:
        """Raises what keeps it from ending its part of the record."""
        try:
            steps.end()
        except BaseException:
            end_at_once(steps)
            raise
        senders.give(steps)
