"""Links between nodes that carry nothing: what every partition of the network is made of."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from highwater.faults.at_the_gate import STAND_TIMEOUT_S
from highwater.faults.voters import require_gates
from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.rules import Match, Rule

Link = tuple[int, int]  # who asks, and who is asked


@dataclass(frozen=True, slots=True)
class CutLinks:
    """`proof` counts, link by link, what has been held back so far."""

    rules: Mapping[Link, RuleHandle]

    @property
    def proof(self) -> Mapping[str, Any]:
        return {
            f"{asker} to {asked}": rule.counters()["held"]
            for (asker, asked), rule in self.rules.items()
        }

    def await_standing(self, link: Link) -> Mapping[str, Any]:
        """Wait until something stands on one of the links; raises DeadlineError."""
        return self.rules[link].standing(STAND_TIMEOUT_S)


@contextmanager
def cut(cluster: Cluster, links: Iterable[Link]) -> Generator[CutLinks]:
    """Hold every request on these links, and every answer to it, whatever its business is.

    As with lost packets nobody is told, and nothing gets through until it is healed: then what was
    held is gone, with its connections. Raises PreconditionError for a link without a gate.
    """
    links = sorted(set(links))
    require_gates(cluster, links)
    with ExitStack() as stack:
        rules = {}
        for asker, asked in links:
            rule = cluster.gate.add(Rule(Match(sender=asker, leader=asked)))
            stack.callback(rule.drop)
            rules[asker, asked] = rule
        yield CutLinks(rules)


def between(some: Iterable[int], others: Iterable[int]) -> set[Link]:
    """Both directions of every link between these and those."""
    return {link for one in some for other in others for link in ((one, other), (other, one))} - {
        (each, each) for each in some
    }
