"""Terms of leaders: since when looks show one and the same leader in one leader epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from highwater.checkers.samples import PLACE

if TYPE_CHECKING:
    import pandas as pd


def with_terms(looks: pd.DataFrame) -> pd.DataFrame:
    """The looks in the order of time, each with `term_ns`: its term's first look.

    That is null for the first term that a record knows of, which may have begun before it. A leader
    that did not answer a look may have been started again, and forgotten what it was told: its term
    counts anew from there.
    """
    ordered = looks.sort_values([*PLACE, "at_ns"], kind="stable")
    known = ordered[ordered["leader"].notna()]
    keys = [known[name] for name in PLACE]
    term = known[["leader", "leader_epoch"]].fillna(-1)
    silent = (known["leader"] == known["broker"]) & known["log_end_offset"].isna()
    term = term.assign(silences=silent.fillna(value=False).astype("int64").groupby(keys).cumsum())
    before = term.groupby(keys).shift()
    begins = (term != before).fillna(value=True).any(axis=1)
    number = begins.groupby(keys).cumsum()
    first = known["at_ns"].groupby([*keys, number]).transform("min")
    return ordered.assign(term_ns=first.where(number > 1).reindex(ordered.index))
