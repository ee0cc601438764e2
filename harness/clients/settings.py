"""What members of a group do with what they are handed, and loads with what they send."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.members import refuse_library

AFTER, BEFORE, AUTO, WITHIN = "after", "before", "auto", "within"
CLASSIC, CONSUMER = "classic", "consumer"  # values of group.protocol
SESSION_MS = {CLASSIC: 6_000, CONSUMER: 45_000}  # of adapters, and of brokers by default
POLL_INTERVAL = "max.poll.interval.ms"
STRATEGY = "partition.assignment.strategy"
ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
LONGEST_INTERVAL_S = 3_600.0
LONGEST_S = 5.0  # who is told to stop finishes what it is at
SYNONYMS = {  # of librdkafka, in the words of Kafka's own consumer
    "smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest",
}  # fmt: skip
FIXED = frozenset(
    {
        "bootstrap.servers", "metadata.broker.list", "group.id", "group.instance.id", "client.id",
        "on_commit", "enable.auto.commit", "auto.commit.enable", "enable.partition.eof",
        "group.protocol",
    }
)  # fmt: skip
OF_ONE_PROTOCOL = {  # librdkafka refuses them with the other one
    CLASSIC: {
        "session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy",
        "group.protocol.type",
    },
    CONSUMER: {"group.remote.assignor"},
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSettings:
    """When a member commits, how long it takes, and what its client library is set to.

    `commits` is "after": what has been processed is committed, five times a second and when a
    partition is taken away; "before": all that was handed out is committed, and then processed; or
    "auto": the library commits what it has handed out, when it likes (enable.auto.commit).
    A `static` member has a group.instance.id (KIP-345): it comes back to its partitions, if it does
    so within session.timeout.ms, which is 6 s. `protocol` is "classic", or "consumer" (KIP-848):
    then brokers have group.consumer.session.timeout.ms, which is 45 s, and until it is over
    refuse who takes the place of a static member that was killed (UNRELEASED_INSTANCE_ID).
    `max_poll_interval_s` is max.poll.interval.ms (KIP-62), with "classic" at least a session: who
    asks for nothing within it leaves its group. None: the library's own, which is five minutes.
    `assignor` is by which of Kafka's assignors the members deal partitions out with "classic":
    "range", "roundrobin", "sticky" (KIP-54) or "cooperative-sticky" (KIP-429). None: the library's
    own; ours, librdkafka, has no "sticky". `library` has settings of librdkafka.
    """

    commits: str = AFTER
    processing_s: float = 0.0  # of each record
    max_poll_interval_s: float | None = None
    static: bool = False
    protocol: str = CLASSIC
    assignor: str | None = None
    library: Mapping[str, Any] = field(default_factory=dict)

    @property
    def begins_at(self) -> str:
        """Where a group begins that has not committed: "earliest", unless the library is told."""
        told = str(self.library.get("auto.offset.reset", "earliest"))
        return SYNONYMS.get(told, told)

    @property
    def poll_interval_ms(self) -> int | None:
        """max.poll.interval.ms, where it is not the library's own."""
        return None if self.max_poll_interval_s is None else round(self.max_poll_interval_s * 1000)

    @property
    def of_librdkafka(self) -> ConsumerSettings:
        """The same, for a member that is made of it: `assignor` is one of its own settings."""
        if self.assignor is None:
            return self
        return replace(self, assignor=None, library={**self.library, STRATEGY: self.assignor})

    @property
    def recorded(self) -> dict[str, str]:
        """As run.json has it of a group."""
        assignor = self.assignor or self.library.get(STRATEGY)
        session_ms = SESSION_MS.get(self.protocol)
        interval_ms = self.library.get(POLL_INTERVAL, self.poll_interval_ms)
        return {
            **({} if interval_ms is None else {POLL_INTERVAL: str(interval_ms)}),
            "auto.offset.reset": self.begins_at,
            "group.protocol": self.protocol,
            "commits": self.commits,
            "static": str(self.static).lower(),
            "session.timeout.ms": str(self.library.get("session.timeout.ms", session_ms)),
            **({} if assignor is None else {STRATEGY: str(assignor)}),
        }

    def described_on(self, kafka: Kafka) -> dict[str, Any]:
        """As an adapter is told; raises UsageError for what no member can do on these brokers."""
        if self.commits not in (AFTER, BEFORE, AUTO):
            raise UsageError(
                f"a member commits after or before processing, or its library does; expected "
                f"commits to be {AFTER!r}, {BEFORE!r} or {AUTO!r}, saw {self.commits!r:.120}"
            )
        if not _is_time(self.processing_s):
            raise UsageError(
                f"expected a processing_s of 0 to {LONGEST_S:.0f} seconds, saw "
                f"{self.processing_s!r:.120}"
            )
        named = isinstance(self.library, Mapping)
        if not named or not all(isinstance(name, str) for name in self.library):
            raise UsageError(f"expected settings of librdkafka by name, saw {self.library!r}")
        fixed = sorted(FIXED & set(self.library))
        if fixed:
            raise UsageError(f"{fixed[0]} is what a play says for its groups; leave it out")
        self._refuse_protocol(kafka)
        self._refuse_assignor()
        self._refuse_interval()
        interval_ms = self.poll_interval_ms
        told = {
            "commits": self.commits,
            "processing_s": float(self.processing_s),
            "static": self.static,
            "protocol": self.protocol,
            "library": {**self.library, **({POLL_INTERVAL: interval_ms} if interval_ms else {})},
        }
        try:
            json.dumps(told)
        except (TypeError, ValueError) as error:
            raise UsageError(f"expected settings of librdkafka in JSON; {error}") from error
        if told["library"]:
            refuse_library(told)
        return told

    def _refuse_interval(self) -> None:
        """Raises UsageError for what is no time; that it is a session at least librdkafka says."""
        interval_s = self.max_poll_interval_s
        if interval_s is None:
            return
        if not _is_time(interval_s, LONGEST_INTERVAL_S) or interval_s < 1:
            raise UsageError(
                f"expected a max_poll_interval_s of 1 to {LONGEST_INTERVAL_S:.0f} seconds, or "
                f"None, saw {interval_s!r:.120}"
            )
        if POLL_INTERVAL in self.library:
            raise UsageError(
                f"{POLL_INTERVAL} is in library and in max_poll_interval_s; leave it out of one"
            )

    def _refuse_assignor(self) -> None:
        """Raises UsageError for what no members deal by; with KIP-848 brokers deal."""
        able = ASSIGNORS if self.protocol == CLASSIC else ()
        if self.assignor not in (None, *able):
            raise UsageError(
                f"expected an assignor of {', '.join(map(repr, (*able, None)))} with the protocol "
                f"{self.protocol!r}, saw {self.assignor!r:.120}"
            )
        if self.assignor is not None and STRATEGY in self.library:
            raise UsageError(f"{STRATEGY} is in library and in assignor; leave it out of one")

    def _refuse_protocol(self, kafka: Kafka) -> None:
        """Raises UsageError for what brokers or the library do not know."""
        if not isinstance(self.static, bool):
            raise UsageError(f"expected static to be True or False, saw {self.static!r:.120}")
        if self.static and not kafka.knows_static_members:
            raise UsageError(
                f"groups on {kafka.name} have no static members (KIP-345): expected Kafka 2.3 or "
                "newer, or static=False"
            )
        if self.protocol not in tuple(OF_ONE_PROTOCOL):
            raise UsageError(
                f"expected a protocol of {CLASSIC!r} or {CONSUMER!r}, saw {self.protocol!r:.120}"
            )
        if self.protocol == CONSUMER and not kafka.assigns_partitions:
            raise UsageError(
                f"groups on {kafka.name} have no protocol {CONSUMER!r} (KIP-848): expected Kafka "
                f"4.0 or newer, or protocol={CLASSIC!r}"
            )
        (other,) = OF_ONE_PROTOCOL.keys() - {self.protocol}
        foreign = sorted(OF_ONE_PROTOCOL[other] & set(self.library))
        if foreign:
            raise UsageError(
                f"{foreign[0]} is of the protocol {other!r}; leave it out with {self.protocol!r}"
            )


ACCEPT, RELEASE = "accept", "release"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSettings:
    """What members of a share group (KIP-932) do with records that they have processed.

    They acknowledge each of them, and wait for the answer, before they ask for more:
    `acknowledges` is "accept", or "release": then somebody is handed it again, until
    group.share.delivery.count.limit is reached.
    """

    acknowledges: str = ACCEPT
    processing_s: float = 0.0  # of each record

    def described_on(self, kafka: Kafka) -> dict[str, Any]:
        """As an adapter is told; raises UsageError for what no member can do on these brokers."""
        if not kafka.knows_share_groups:
            raise UsageError(
                f"there are no share groups on {kafka.name} (KIP-932): expected Kafka 4.2 or "
                "newer, for in 4.1 they are a preview and before that not there"
            )
        if self.acknowledges not in (ACCEPT, RELEASE):
            raise UsageError(
                f"expected acknowledges to be {ACCEPT!r} or {RELEASE!r}, "
                f"saw {self.acknowledges!r:.120}"
            )
        if not _is_time(self.processing_s):
            raise UsageError(
                f"expected a processing_s of 0 to {LONGEST_S:.0f} seconds, saw "
                f"{self.processing_s!r:.120}"
            )
        return {"acknowledges": self.acknowledges, "processing_s": float(self.processing_s)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSettings:
    """How members of a pipeline commit what they have made something of.

    `commits` is "within": what is sent and the positions of what it was made of are one transaction
    of at most so many `records`; "after" all that was sent has been acknowledged; or "before"
    anything is made of so many. The latter two are what transactions are there to be better than.
    """

    commits: str = WITHIN
    records: int = 100
    processing_s: float = 0.0  # of each record

    def described_on(self, kafka: Kafka) -> dict[str, Any]:
        """As an adapter is told; raises UsageError for what no member can do on these brokers."""
        if self.commits not in (WITHIN, AFTER, BEFORE):
            raise UsageError(
                f"a pipeline commits within its transactions, or after or before it sends; "
                f"expected commits to be {WITHIN!r}, {AFTER!r} or {BEFORE!r}, "
                f"saw {self.commits!r:.120}"
            )
        if self.commits == WITHIN and not kafka.knows_idempotence:
            raise UsageError(
                f"a pipeline on {kafka.name} can have no transactions (KIP-98): expected Kafka "
                f"0.11 or newer, or commits={AFTER!r}"
            )
        _refuse_size(self.records)
        if not _is_time(self.processing_s) or self.processing_s * self.records > LONGEST_S:
            raise UsageError(
                f"expected a processing_s with which {self.records} records take no longer than "
                f"{LONGEST_S:.0f} seconds, saw {self.processing_s!r:.120}"
            )
        told = {"commits": self.commits, "records": self.records}
        return {**told, "processing_s": float(self.processing_s)}


MOST_RECORDS = 100_000  # of a transaction: they are all kept until it ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Transactions:
    """How a load is cut into transactions: how many records each has, over all partitions.

    Every `abort_every`-th is aborted; None: only those that Kafka demands to be.
    """

    records: int = 100
    abort_every: int | None = None

    def described(self) -> dict[str, Any]:
        """As an adapter is told; raises UsageError for what cannot be."""
        _refuse_size(self.records)
        if self.abort_every is not None and not _is_count(self.abort_every):
            raise UsageError(
                "expected abort_every to be None or a whole number from 1 on, saw "
                f"{self.abort_every!r:.120}"
            )
        return {"records": self.records, "abort_every": self.abort_every}


def _refuse_size(records: object) -> None:
    """Raises UsageError for what a transaction cannot have."""
    if not (type(records) is int and 0 < records <= MOST_RECORDS):
        raise UsageError(
            f"expected transactions of 1 to {MOST_RECORDS:,} records, saw {records!r:.120}"
        )


def _is_count(number: object) -> bool:
    return type(number) is int and number > 0


def _is_time(seconds: object, longest_s: float = LONGEST_S) -> bool:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return False
    return 0 <= seconds <= longest_s
