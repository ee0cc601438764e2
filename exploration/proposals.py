"""Moves by chance: which ones there are, how often each, and the first that fits."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from highwater.exploration.committing import Commit
from highwater.exploration.ground import Ground
from highwater.exploration.hardware import Engross, Jump, Wipe
from highwater.exploration.moves import (
    Cut,
    KillBroker,
    Lead,
    Mute,
    Prefer,
    Release,
    Send,
    Shrink,
    StartBroker,
    StopBroker,
)
from highwater.exploration.neighbours import LeadBeside, SendBeside
from highwater.exploration.numbering import Again, OnceArrives, OnceLate, SendOnce
from highwater.exploration.quorums import Blind, Deafen, Depose, HoldIsr, KillVoter
from highwater.exploration.steps import Move, Step
from highwater.exploration.storms import FreezeBroker, IsolateBroker, LosePower, Pour
from highwater.exploration.taking_over import CommitAsFormer, CommitAsMember, TakeOver
from highwater.exploration.topics import Assign, Drop, Recreate
from highwater.exploration.transacting import (
    Arrive,
    Claim,
    CommitLate,
    CommitWithin,
    Coordinate,
    DelayMarker,
    End,
    Withhold,
    Write,
    WriteLate,
)
from highwater.exploration.views import View

GENTLE: Mapping[str, float] = {  # nobody dies: some forty schedules a minute
    "send all": 3.0, "send one": 1.5, "cut": 2.5, "mute": 3.0, "release": 3.0, "lead": 4.0,
    "prefer": 0.5, "shrink": 1.5, "deafen": 0.5,
}  # fmt: skip
BUSY: Mapping[str, float] = {**GENTLE, "pour": 1.5}  # sends go on meanwhile
ROUGH: Mapping[str, float] = {
    **GENTLE, "kill": 1.0, "stop": 0.5, "start": 3.0, "freeze": 0.7, "isolate": 0.7,
}  # fmt: skip
NEIGHBOURS: Mapping[str, float] = {**ROUGH, "send beside": 3.0, "lead beside": 2.5}  # two logs
TOPICS: Mapping[str, float] = {**ROUGH, "drop": 1.5, "assign": 2.5, "recreate": 1.5}
DISKS: Mapping[str, float] = {**ROUGH, "wipe": 2.5, "hold isr": 1.5}
CLOCKS: Mapping[str, float] = {**ROUGH, "jump": 2.0}
POWER: Mapping[str, float] = {**ROUGH, "lose power": 2.0}
IDEMPOTENT: Mapping[str, float] = {
    "send once": 4.0, "once late": 1.5, "again": 4.0, "once arrives": 2.0,
    "kill": 0.5, "stop": 0.3, "start": 3.0,
    **{name: each for name, each in GENTLE.items() if name != "send all"},
}  # fmt: skip
TRANSACTIONS: Mapping[str, float] = {
    "claim": 3.0, "write": 4.0, "write late": 2.0, "arrive": 3.0, "commit": 3.0, "abort": 2.5,
    "coordinate": 1.5, "withhold": 1.0, "delay marker": 1.5, "release": 2.5, "lead": 1.5,
}  # fmt: skip
ROUGH_TRANSACTIONS: Mapping[str, float] = {
    **TRANSACTIONS, "kill": 1.0, "stop": 0.5, "start": 3.0, "freeze": 0.7,
}  # fmt: skip
QUORUM: Mapping[str, float] = {
    **GENTLE, "kill": 0.7, "start": 2.0,
    "depose": 1.0, "kill voter": 0.4, "blind": 2.0, "hold isr": 1.5,
}  # fmt: skip
GROUPS: Mapping[str, float] = {  # of the log of what groups commit, in the place of records
    "commit position": 4.5, "engross": 0.7,
    **{name: each for name, each in GENTLE.items() if name not in {"send all", "send one"}},
}  # fmt: skip
MEMBERS: Mapping[str, float] = {  # of that log as well, by who is in a group, or was
    "take over": 1.5, "commit as member": 3.5, "commit as former": 1.5,
    **{name: each for name, each in GROUPS.items() if name != "commit position"},
}  # fmt: skip
PIPELINES: Mapping[str, float] = {  # of that log as well, within transactions
    "commit within": 4.0, "commit late": 2.0, "engross": 0.5,
    **{name: each for name, each in TRANSACTIONS.items() if name not in {"write", "write late"}},
}  # fmt: skip
MOVE_SETS: Mapping[str, Mapping[str, float]] = {
    "gentle": GENTLE, "busy": BUSY, "rough": ROUGH, "power": POWER, "transactions": TRANSACTIONS,
    "rough-transactions": ROUGH_TRANSACTIONS, "quorum": QUORUM, "groups": GROUPS,
    "topics": TOPICS, "disks": DISKS, "clocks": CLOCKS, "members": MEMBERS,
    "pipelines": PIPELINES, "neighbours": NEIGHBOURS, "idempotent": IDEMPOTENT,
}  # fmt: skip
ALWAYS = frozenset(  # without these nothing can be lost
    {
        "send all", "send once", "send beside", "lead", "claim", "write", "commit within",
        "commit position", "take over", "commit as member",
    }
)  # fmt: skip
DELIVERED = {  # a marker always comes; how, is said; and these have one end
    Withhold.name: True, DelayMarker.name: False,
    Blind.name: True, HoldIsr.name: True, Depose.name: False, KillVoter.name: False,
    Jump.name: False, Engross.name: False,
}  # fmt: skip
WAITS = 0.85  # how often a step waits for its effect; the others make races
TRIES = 60
SHIFTS_S = (-3600, -30, 30, 3600)
GAPS_MS = (10, 50, 200)  # between an answer and the next record

Proposal = Callable[[random.Random, Ground], Move | None]


def _broker(rng: random.Random, ground: Ground) -> int:
    return rng.choice(ground.play.cluster.brokers)


def _records(rng: random.Random) -> int:
    return rng.choice((1, 1, 3))


def _release(rng: random.Random, ground: Ground) -> Move | None:
    if not ground.links:
        return None
    name, broker = rng.choice(sorted(ground.links))
    if name in DELIVERED:
        return Release(name, broker, DELIVERED[name])
    return Release(name, broker, rng.random() < 0.5)


def _producer(rng: random.Random) -> int:
    return rng.choice((1, 1, 2))


PROPOSALS: Mapping[str, Proposal] = {
    "send all": lambda rng, _ground: Send(_records(rng), "all"),
    "send one": lambda rng, _ground: Send(_records(rng), "1"),
    "cut": lambda rng, ground: Cut(_broker(rng, ground)),
    "mute": lambda rng, ground: Mute(_broker(rng, ground), rng.random() < 0.6),
    "release": _release,
    "lead": lambda rng, ground: Lead(_broker(rng, ground)),
    "send beside": lambda rng, _ground: SendBeside(_records(rng), "all"),
    "lead beside": lambda rng, ground: LeadBeside(_broker(rng, ground)),
    "prefer": lambda rng, ground: Prefer(_broker(rng, ground)),
    "shrink": lambda _rng, _ground: Shrink(),
    "isolate": lambda rng, ground: IsolateBroker(_broker(rng, ground)),
    "pour": lambda rng, _ground: Pour(rng.choice(GAPS_MS)),
    "freeze": lambda rng, ground: FreezeBroker(_broker(rng, ground)),
    "deafen": lambda rng, ground: Deafen(_broker(rng, ground)),
    "kill": lambda rng, ground: KillBroker(_broker(rng, ground)),
    "stop": lambda rng, ground: StopBroker(_broker(rng, ground)),
    "lose power": lambda rng, ground: LosePower(_broker(rng, ground)),
    "start": lambda rng, ground: StartBroker(_broker(rng, ground)),
    "commit position": lambda rng, _ground: Commit(_producer(rng)),
    "take over": lambda rng, _ground: TakeOver(_producer(rng)),
    "commit as member": lambda rng, _ground: CommitAsMember(_producer(rng)),
    "commit as former": lambda rng, _ground: CommitAsFormer(_producer(rng)),
    "send once": lambda rng, _ground: SendOnce(_producer(rng), _records(rng)),
    "once late": lambda rng, _ground: OnceLate(_producer(rng)),
    "again": lambda rng, _ground: Again(_producer(rng)),
    "once arrives": lambda rng, _ground: OnceArrives(_producer(rng)),
    "claim": lambda rng, _ground: Claim(_producer(rng)),
    "write": lambda rng, _ground: Write(_producer(rng), _records(rng)),
    "write late": lambda rng, _ground: WriteLate(_producer(rng)),
    "commit within": lambda rng, _ground: CommitWithin(_producer(rng)),
    "commit late": lambda rng, _ground: CommitLate(_producer(rng)),
    "arrive": lambda rng, _ground: Arrive(_producer(rng)),
    "commit": lambda rng, _ground: End(_producer(rng), commit=True),
    "abort": lambda rng, _ground: End(_producer(rng), commit=False),
    "coordinate": lambda rng, ground: Coordinate(_broker(rng, ground)),
    "withhold": lambda rng, ground: Withhold(_broker(rng, ground)),
    "depose": lambda _rng, _ground: Depose(),
    "kill voter": lambda _rng, _ground: KillVoter(),
    "drop": lambda rng, ground: Drop(_broker(rng, ground)),
    "assign": lambda rng, ground: Assign(_broker(rng, ground)),
    "recreate": lambda _rng, _ground: Recreate(),
    "wipe": lambda rng, ground: Wipe(_broker(rng, ground)),
    "jump": lambda rng, ground: Jump(_broker(rng, ground), rng.choice(SHIFTS_S)),
    "engross": lambda rng, ground: Engross(_broker(rng, ground)),
    "blind": lambda rng, ground: Blind(_broker(rng, ground)),
    "hold isr": lambda rng, ground: HoldIsr(_broker(rng, ground)),
    "delay marker": lambda rng, ground: DelayMarker(_broker(rng, ground)),
}


def by_chance(
    rng: random.Random, ground: Ground, view: View, weights: Mapping[str, float]
) -> Step | None:
    """A step that fits; None where chance brings none."""
    for _ in range(TRIES):
        name = rng.choices(list(weights), list(weights.values()))[0]
        proposed = PROPOSALS[name](rng, ground)
        waits = rng.random() < WAITS
        if proposed is not None and proposed.fits(ground, view):
            return Step(proposed, waits)
    return None


def swarm(rng: random.Random, weights: Mapping[str, float]) -> dict[str, float]:
    """Fewer kinds of moves come further with each of them (Groce et al., Swarm Testing, 2012)."""
    return {name: each for name, each in weights.items() if name in ALWAYS or rng.random() < 0.5}
