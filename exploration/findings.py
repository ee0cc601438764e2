"""Whether something is lost or forks, when nothing happens to the replicas any more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from highwater.exploration.views import View


@dataclass(frozen=True, slots=True)
class Finding:
    """Of replicas to which nothing happens any more; `claims` of these are violated."""

    claims: tuple[str, ...] = ()
    told: str = ""
    is_settled: bool = True

    @property
    def found(self) -> bool:
        return bool(self.claims)


def finding_of(view: View) -> Finding:
    """At once and without Spark: the record of the same schedule is what is judged in the end."""
    own = _finding_of(replace(view, beside=None))
    if view.beside is None:
        return own
    beside = _finding_of(view.beside)
    told = [own.told, f"beside: {beside.told}" if beside.told else ""]
    return Finding(
        tuple(dict.fromkeys((*own.claims, *beside.claims))),
        "; ".join(filter(None, told)),
        own.is_settled and beside.is_settled,
    )


def _finding_of(view: View) -> Finding:
    if view.leader < 0 or view.leader not in view.logs:
        return Finding(told="nobody leads", is_settled=False)
    claims, told = [], []
    # A position that its coordinator tells from memory is lost all the same: the next one reads.
    lost = sorted(view.missing(view.leader))
    if lost:
        claims.append("lost-write" if view.positioned is None else "commit-regression")
        told.append(f"{len(lost)} acknowledged records are gone, the first of them {lost[0]}")
    elif view.positioned is not None and view.positioned.back:
        claims.append("commit-regression")
        told.append("; ".join(view.positioned.back))
    repeated = sorted(_repeated(view))
    if repeated:
        claims.append("duplicate")
        first = repeated[0]
        told.append(
            f"{len(repeated)} records are there twice or elsewhere, the first of them {first}"
        )
    for claim, what in view.transacted.violated() if view.transacted and view.is_replicated else ():
        claims.append(claim)
        told.append(what)
    forked = _forked(view) if view.is_replicated else []
    if forked:
        claims.append("replica-divergence")
        told.append(f"the logs of brokers {forked} are not the leader's")
    told += view.positioned.damaged if view.positioned else ()
    is_over = view.transacted is None or not view.transacted.unclosed
    return Finding(tuple(claims), "; ".join(told), view.is_replicated and (is_over or bool(claims)))


def _repeated(view: View) -> set[int]:
    """What has one number, and is at two offsets, or at another one than was acknowledged.

    Of the latter the record was lost, and a late request has brought it back.
    """
    places = defaultdict[int | None, list[int]](list)
    for offset, value, _ in view.logs[view.leader]:
        places[value].append(offset)
    return {
        value
        for value, place in view.promised.once.items()
        if len(found := places[value]) > 1 or (found and place not in {None, *found})
    }


def _forked(view: View) -> list[int]:
    others = view.logs[view.leader]
    return [each for each in view.isr if view.logs[each] != others]
