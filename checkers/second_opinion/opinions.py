"""Asks for the second opinion on a run, and says where it differs from the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from highwater.checkers import catalogue
from highwater.checkers.claim import Claim
from highwater.checkers.parts import Samples
from highwater.checkers.second_opinion import (
    circles,
    clients,
    contracts,
    ends,
    epochs,
    flushes,
    followers,
    groups,
    log_ends,
    moves,
    orders,
    owners,
    payloads,
    pipelines,
    readers,
    replicas,
    shares,
    stability,
    standstills,
    transactions,
    watermarks,
)
from highwater.checkers.second_opinion.opinion import Opinion, together
from highwater.checkers.second_opinion.record import Record
from highwater.harness.errors import RecordError
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import RunAt

BROKEN = "the checker broke"  # how a verdict begins that has no reason but itself

OPINIONS: Mapping[str, Callable[[Record], Opinion]] = {
    name.replace("_", "-"): getattr(module, name)
    for module, names in (
        (
            clients,
            ("duplicate", "inconsistent_offsets", "phantom_read", "aborted_read",
             "precommitted_read", "stalled_sends"),
        ),
        (orders, ("nonmonotonic_send", "reordered")),
        (payloads, ("corrupt_value",)),
        (
            readers,
            ("lost_write", "nonmonotonic_poll", "poll_skip"),
        ),
        (ends, ("stale_read", "stuck_reader")),
        (
            replicas,
            ("replica_divergence", "offsets_out_of_order", "log_not_contiguous",
             "committed_truncation", "stuck_broker", "lagging_in_sync", "leader_out_of_sync",
             "unseen"),
        ),
        (
            watermarks,
            ("leader_high_watermark", "follower_high_watermark", "high_watermark_regression"),
        ),
        (groups, ("commit_regression", "unprocessed", "handed_again")),
        (log_ends, ("committed_beyond_end",)),
        (flushes, ("flushed_too_early",)),
        (owners, ("two_owners",)),
        (standstills, ("stuck_group",)),
        (circles, ("circular_information_flow",)),
        (followers, ("left_behind", "flapping_isr")),
        (stability, ("hanging_transaction", "stuck_transaction")),
        (moves, ("stuck_move",)),
        (shares, ("accepted_again",)),
        (contracts, ("broken_contract",)),
        (transactions, ("torn_transaction",)),
        (pipelines, ("not_exactly_once",)),
        (epochs, ("leader_epoch_order", "epoch_checkpoint")),
    )
    for name in names
}  # fmt: skip


def disagreements(run: RunAt[Any], verdicts: Sequence[Verdict]) -> list[str]:
    """What the second opinion sees otherwise, a line each; empty when both agree on everything.

    A verdict whose checker broke has nothing to be compared with. To both a claim is unknown when a
    table that it needs or uses cannot be read.
    """
    record = Record(run)
    lines = []
    for verdict in verdicts:
        if verdict.reason.startswith(BROKEN):
            continue
        (claim,) = catalogue.chosen([verdict.claim])
        opinion = _opinion(record, claim)
        first = (verdict.answer, verdict.considered, verdict.anomalies)
        second = (opinion.answer, opinion.considered, opinion.anomalies)
        if first != second:
            lines.append(
                f"{verdict.claim}: {_summary(*first)}; the second opinion: {_summary(*second)}"
            )
    return lines


def _opinion(record: Record, claim: Claim) -> Opinion:
    try:
        there = {table: bool(record[table]) for table in (*claim.needs, *claim.uses)}
    except RecordError:
        return Opinion()
    is_told = all(there[table] for table in claim.needs)
    if not is_told:
        return Opinion()
    records = record.apart(there) if claim.part is Samples else [record]
    return together(OPINIONS[claim.name](each) for each in records)


def _summary(answer: Answer, considered: int, anomalies: int) -> str:
    return f"{answer.value}, {anomalies} of {considered}"
