"""Somebody who asks brokers is answered with an error, as a broker in trouble would answer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.messages import answerable
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.model import TopicPartition
from highwater.harness.versions.jars import message_jars


@dataclass(frozen=True, slots=True)
class AnswerRequests:
    """Requests of `api` ("Produce") are answered with `error` ("NOT_LEADER_OR_FOLLOWER").

    No broker sees them. With `done` the broker does what it is asked, and its answer is replaced.
    `client` is a client.id, `broker` who is asked, `where` a partition that is among those asked
    for; None means any. What no broker sees is refused as a whole; with `done` the error is that of
    `where` alone. `often` says which of them: `Trigger("nth", 3)`, `Trigger("times", 5)`,
    `Trigger("chance", chance=0.1, seed=7)`. For clusters with gated_clients; raises UsageError.
    """

    api: str
    error: str
    client: str | None = None
    broker: int | None = None
    where: TopicPartition | None = None
    often: Trigger = field(default_factory=Trigger)
    done: bool = False
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_meant(self, self.broker, self.where)
        answerable.require_answerable(self.api, self.error, done=self.done, placed=bool(self.where))

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        where = self.where
        asked = Match(
            stage="response" if self.done else "request",
            apis=(answerable.NAMED[self.api],),
            client_id=self.client,
            leader=self.broker,
            topic=where and where.topic,
            partition=where and where.partition,
        )
        cluster.gate.describe(message_jars())
        action = Action("answer", error=answerable.error_named(self.error))
        rule = cluster.gate.add(Rule(asked, action, self.often))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
