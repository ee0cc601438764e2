"""Writes the pages that are made of code, docs/catalogue.md and docs/claims.md."""

from __future__ import annotations

from pathlib import Path

from highwater.checkers.catalogue import claims
from highwater.checkers.claim import Claim
from highwater.listing import Rows, checker_rows, fault_rows, scenario_rows, version_rows

# In the directory of the checkout:
PAGE = Path("docs", "catalogue.md")
CLAIMS = Path("docs", "claims.md")

HEAD = """\
# Catalogue

Written by `python -m tests.catalogue_page`; change the code, not this page. The same tables on
a terminal: `highwater list scenarios`, `faults`, `checkers` or `versions`.
"""


def render() -> str:
    """The whole page."""
    sections = {
        "Scenarios": scenario_rows(),
        "Faults": fault_rows(),
        "Checkers": checker_rows(),
        "Versions": version_rows(),
    }
    return HEAD + "".join(f"\n## {title}\n\n{_table(rows)}" for title, rows in sections.items())


CLAIMS_HEAD = """\
# Claims

Written by `python -m tests.catalogue_page` from `checkers/claims/`, a file each; change these,
not this page. The tables and columns are those of [the ledger](ledger.md).

A claim answers HELD, VIOLATED or UNKNOWN. `considered` counts what it was tested against; nothing
to test is UNKNOWN, never HELD. A violation outranks doubts. A table that is *needed* and empty
makes the claim UNKNOWN; one that is *used* may be missing.

| who else names it | there | here |
| --- | --- | --- |
| Jepsen's Kafka workload | lost-write, duplicate, inconsistent-offsets, nonmonotonic-send, \
nonmonotonic-poll, poll-skip, precommitted-read | the same names |
| | int-nonmonotonic-send, int-nonmonotonic-poll, int-poll-skip | the same without int-: \
operations of a transaction are operations of their client |
| | G1a | aborted-read |
| | G1c | circular-information-flow, of transactions that read and write in one |
| | G0 and cycles closed by an order of writes | told with circular-information-flow: Kafka does \
not keep writes apart |
| | unseen | unseen where a log is in the record, else lost-write UNKNOWN |
| TLA+ models of Kafka's replication | LogMatching | replica-divergence |
| | LeaderCompleteness, NoCommittedRecordLostGlobally | committed-truncation, lost-write |
| | ConsistentRead | inconsistent-offsets, stale-read |
| | WeakIsr, StrongIsr | replica-divergence, committed-truncation, leader-high-watermark |
| | LeaderInIsr | leader-out-of-sync |
| Kafka's own protocol | what a follower truncates by (KIP-101, KIP-279) | leader-epoch-order, \
epoch-checkpoint |
"""


def render_claims() -> str:
    """Every claim's definition."""
    return CLAIMS_HEAD + "".join(_definition(claim) for claim in claims())


def _definition(claim: Claim) -> str:
    used = f"; uses {_named(claim.uses)}" if claim.uses else ""
    told = f"Considered: {claim.about}. Needs {_named(claim.needs)}{used}."
    title = claim.title[0].upper() + claim.title[1:]
    return f"\n## {claim.name}\n\n{title}. {told}\n\nThe anomaly: {claim.definition.strip()}\n"


def _named(tables: tuple[str, ...]) -> str:
    return ", ".join(f"`{table}`" for table in tables)


def _table(rows: Rows) -> str:
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([_cell(text) for text in row.values()] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cell(text: str) -> str:
    """Nothing in a cell may end it, or be taken for markup."""
    for character in "|<>*_":
        text = text.replace(character, f"\\{character}")
    return text


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
    CLAIMS.write_text(render_claims(), encoding="utf-8")
