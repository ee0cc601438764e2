"""What a rule of the gate says: which frames it means, how often it fires, and what it does.

Plain data that travels as JSON between the harness and the gate's process; the judging stands in
`engine`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from highwater.harness.gate.frames import Frame, PartitionView

MatchStage = Literal["request", "response", "either"]
TriggerKind = Literal["once", "nth", "times", "always", "chance"]
ActionKind = Literal["hold", "delay", "drop", "cut", "limit", "watch", "answer", "stall"]


@dataclass(frozen=True, slots=True)
class Match:
    """Which frames are meant; None means any.

    `leader` is the broker behind the gate, `follower` the replica that fetches, `sender` the node
    that asks, whatever for; nodes behind the gate that are `spared` are not meant. `apis` are api
    keys; an answer has the api of its request, and the fetch offsets that the request asked for.
    `topic_id` is the text of a UUID; a `topic` alone also finds topic ids once the gate knows the
    id's name. `with_records` is for Fetch answers: True wants record bytes in any partition meant,
    False wants none in all of them.
    """

    stage: MatchStage = "either"
    apis: tuple[int, ...] | None = None
    follower: int | None = None
    sender: int | None = None
    leader: int | None = None
    client_id: str | None = None
    topic: str | None = None
    topic_id: str | None = None
    partition: int | None = None
    fetch_offset: int | None = None
    min_fetch_offset: int | None = None
    with_records: bool | None = None
    spared: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.stage not in get_args(MatchStage):
            raise ValueError(f"stage {self.stage!r} is none of {get_args(MatchStage)}")
        if self.with_records is not None and self.stage != "response":
            raise ValueError("with_records is known of answers only: say stage='response'")

    @property
    def needs_body(self) -> bool:
        partitions = (self.topic, self.topic_id, self.partition)
        offsets = (self.fetch_offset, self.min_fetch_offset, self.with_records)
        return any(wanted is not None for wanted in (*partitions, *offsets))

    def may_mean(self, frame: Frame) -> bool:
        """Judges by the header and the sender alone, so the body need not be there yet."""
        return self.stage in {"either", frame.stage} and self.may_mean_exchange(frame)

    def may_mean_exchange(self, frame: Frame) -> bool:
        """The same of a request or its answer, whichever of the two is meant."""
        if self.leader not in {None, frame.leader} or frame.leader in self.spared:
            return False
        if self.follower not in {None, frame.follower} or self.sender not in {None, frame.sender}:
            return False
        if self.client_id not in {None, frame.client_id}:
            return False
        return self.apis is None or frame.api_key in self.apis

    def _means_partition(self, view: PartitionView) -> bool:
        wanted = (
            (self.topic, view.topic),
            (self.topic_id, view.topic_id),
            (self.partition, view.partition),
            (self.fetch_offset, view.fetch_offset),
        )
        if any(want not in {None, seen} for want, seen in wanted):
            return False
        if self.min_fetch_offset is None:
            return True
        return view.fetch_offset is not None and view.fetch_offset >= self.min_fetch_offset

    def partitions_of(self, frame: Frame) -> tuple[PartitionView, ...]:
        """The partitions of a frame that are meant; all of them if any is."""
        return tuple(filter(self._means_partition, frame.partitions))

    def matches(self, frame: Frame) -> bool:
        if not self.may_mean(frame):
            return False
        if not self.needs_body:
            return True
        partitions = self.partitions_of(frame)
        if self.with_records is None or not partitions:
            return bool(partitions)
        if any(view.record_bytes is None for view in partitions):
            return False
        return any(view.record_bytes for view in partitions) is self.with_records


@dataclass(frozen=True, slots=True)
class Trigger:
    """How often a rule fires among the frames that match: `n` serves `nth` and `times`.

    `chance` (0 to 1) serves the kind of that name: whether the nth frame is meant is decided by
    `seed` and n alone, so the same frames are meant again.
    """

    kind: TriggerKind = "always"
    n: int = 1
    chance: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(TriggerKind) or self.n < 1 or not 0 <= self.chance <= 1:
            raise ValueError(f"no such trigger: {self}")

    def fires(self, nth: int) -> bool:
        """Whether the nth matching frame, counted from 1, is one that the rule acts on."""
        if self.kind == "chance":
            return random.Random(f"{self.seed}-{nth}").random() < self.chance
        if self.kind == "nth":
            return nth == self.n
        return self.kind == "always" or nth <= (self.n if self.kind == "times" else 1)


@dataclass(frozen=True, slots=True)
class Action:
    """What happens to a frame that a rule fires on.

    hold: it stands until the rule is resolved; with `keep_after_close` a standing request outlives
    its client, and the broker's side stays open until the answers to it have come; with
    `half_close` the side that it was for is closed, and the side that it came from not told, until
    the rule is resolved: what stands is then gone. delay: it waits
    `delay_ms`. limit: it waits as long as `bytes_per_s` would take. drop: it is discarded and the
    connection closed. cut: both sides are aborted at once. watch: it passes and is reported.
    answer: of a request, its broker never sees it and its client is answered with `error`; of an
    answer, it is replaced by one with `error`, though the broker did as it was asked; with a
    `leader` an answer to Metadata says that this broker leads, wherever it has a replica. stall:
    once its header is there nothing more is read of it, and of what comes behind it, until the rule
    is resolved: who sends it finds that it can write no further.
    Frames of one direction of one connection never overtake one another.
    """

    kind: ActionKind = "hold"
    delay_ms: float = 0.0
    bytes_per_s: float = 0.0
    keep_after_close: bool = False
    half_close: bool = False
    error: int = 0
    leader: int | None = None

    def __post_init__(self) -> None:
        if (self.error != 0) + (self.leader is not None) != (self.kind == "answer"):
            raise ValueError(
                f"action {self.kind!r} with error={self.error} and leader={self.leader}: answer "
                "needs one of them"
            )
        if self.kind not in get_args(ActionKind):
            raise ValueError(f"action {self.kind!r} is none of {get_args(ActionKind)}")
        if self.kind == "limit" and self.bytes_per_s <= 0:
            raise ValueError("a limit needs bytes_per_s above 0")

    def wait_s(self, frame_bytes: int) -> float:
        if self.kind == "limit":
            return frame_bytes / self.bytes_per_s
        return self.delay_ms / 1000 if self.kind == "delay" else 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule sleeps on each link until a frame matching `after` has been passed on there."""

    match: Match
    action: Action = field(default_factory=Action)
    trigger: Trigger = field(default_factory=Trigger)
    after: Match | None = None
    rule_id: str = ""

    def __post_init__(self) -> None:
        if self.action.kind == "stall" and self.match.needs_body:
            raise ValueError("a frame that is stalled is not read: its partitions are not known")

    def named(self, rule_id: str) -> Rule:
        return replace(self, rule_id=rule_id)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Rule:
        """Raises ValueError or TypeError for what is no rule."""
        after = written.get("after")
        return cls(
            match=_match_from_json(written["match"]),
            action=Action(**written["action"]),
            trigger=Trigger(**written["trigger"]),
            after=None if after is None else _match_from_json(after),
            rule_id=written["rule_id"],
        )


def _match_from_json(written: Mapping[str, Any]) -> Match:
    apis = written.get("apis")
    told = {"apis": None if apis is None else tuple(apis), "spared": tuple(written["spared"])}
    return Match(**{**written, **told})


def link_blocked(*, follower: int, leader: int | None, spared: tuple[int, ...] = ()) -> Rule:
    """Nothing passes on the fetcher's connections: any api, requests and answers."""
    return Rule(Match(follower=follower, leader=leader, spared=spared))
