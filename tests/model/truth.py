"""What may be said of each claim about a case, by what the model knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.model import truth_of_reads as reads
from tests.model import truth_of_replicas as replicas
from tests.model import truth_of_writes as writes
from tests.model.evidence import Case
from tests.model.facts import Answers, Facts, together
from tests.model.truth_of_copies import duplicate
from tests.model.truth_of_ends import stale_read, stuck_reader
from tests.model.truth_of_groups import (
    accepted_again,
    broken_contract,
    commit_regression,
    committed_beyond_end,
    handed_again,
    two_owners,
    unprocessed,
)
from tests.model.truth_of_pipelines import not_exactly_once
from tests.model.truth_of_standstills import (
    hanging_transaction,
    stuck_group,
    stuck_move,
    stuck_transaction,
)
from tests.model.truth_of_time import flushed_too_early, stalled_sends
from tests.model.truth_of_transactions import circular_information_flow, torn_transaction

from highwater.harness.model import Answer

TRUTHS: dict[str, Callable[[Facts], Iterator[Answers]]] = {
    "lost-write": writes.lost_write,
    "unseen": writes.unseen,
    "duplicate": duplicate,
    "phantom-read": reads.phantom_read,
    "aborted-read": reads.aborted_read,
    "corrupt-value": reads.corrupt_value,
    "inconsistent-offsets": reads.inconsistent_offsets,
    "nonmonotonic-send": reads.nonmonotonic_send,
    "reordered": writes.reordered,
    "nonmonotonic-poll": reads.nonmonotonic_poll,
    "poll-skip": reads.poll_skip,
    "stale-read": stale_read,
    "stuck-reader": stuck_reader,
    "stalled-sends": stalled_sends,
    "flushed-too-early": flushed_too_early,
    "commit-regression": commit_regression,
    "committed-beyond-end": committed_beyond_end,
    "handed-again": handed_again,
    "unprocessed": unprocessed,
    "torn-transaction": torn_transaction,
    "two-owners": two_owners,
    "stuck-group": stuck_group,
    "circular-information-flow": circular_information_flow,
    "hanging-transaction": hanging_transaction,
    "stuck-transaction": stuck_transaction,
    "stuck-move": stuck_move,
    "accepted-again": accepted_again,
    "not-exactly-once": not_exactly_once,
    "broken-contract": broken_contract,
    "replica-divergence": replicas.replica_divergence,
    "offsets-out-of-order": replicas.offsets_out_of_order,
    "log-not-contiguous": replicas.log_not_contiguous,
    "leader-epoch-order": replicas.leader_epoch_order,
    "epoch-checkpoint": replicas.epoch_checkpoint,
    "committed-truncation": replicas.committed_truncation,
    "high-watermark-regression": replicas.high_watermark_regression,
    "leader-out-of-sync": replicas.leader_out_of_sync,
    "lagging-in-sync": replicas.lagging_in_sync,
    "left-behind": replicas.left_behind,
    "flapping-isr": replicas.flapping_isr,
    "leader-high-watermark": replicas.leader_high_watermark,
    "follower-high-watermark": replicas.follower_high_watermark,
    "stuck-broker": replicas.stuck_broker,
}

# What each claim cannot do without, by the tables that a record may lack.
NEEDS: dict[str, tuple[str, ...]] = {
    "reordered": ("clients",),
    "committed-beyond-end": ("commits", "ends"),
    "handed-again": ("clients", "commits"),
    "two-owners": ("assignments", "processed"),
    "stuck-group": ("history", "clients", "assignments"),
    "hanging-transaction": ("clients", "looks"),
    "accepted-again": ("shares",),
    "broken-contract": ("applied",),
    "not-exactly-once": ("clients", "commits", "processed"),
    "flushed-too-early": ("flushes",),
    "unseen": ("logs", "ends"),
    "replica-divergence": ("logs", "ends"),
    "offsets-out-of-order": ("logs",),
    "log-not-contiguous": ("logs",),
    "leader-epoch-order": ("logs",),
    "epoch-checkpoint": ("logs", "checkpoints"),
    "committed-truncation": ("looks",),
    "high-watermark-regression": ("looks",),
    "leader-out-of-sync": ("looks",),
    "lagging-in-sync": ("looks",),
    "left-behind": ("looks",),
    "flapping-isr": ("looks",),
    "leader-high-watermark": ("looks", "fetches"),
    "follower-high-watermark": ("looks", "fetches"),
}


def truth_of(case: Case) -> dict[str, frozenset[Answer]]:
    facts = Facts(case)
    found = {claim: together(tell(facts)) for claim, tell in TRUTHS.items()}
    evidence = case.evidence
    there = {
        "logs": evidence.has_logs and any(disk.records for disk in facts.case.disks),
        "ends": evidence.has_ends,
        "checkpoints": evidence.has_checkpoints and any(disk.checkpoint for disk in case.disks),
        "looks": evidence.has_looks and bool(case.world.looks),
        "history": bool(case.world.sends or case.world.handings or case.world.stops),
        "clients": evidence.tells_clients,
        "commits": bool(case.world.commits),
        "processed": bool(case.world.processed),
        "assignments": bool(case.world.holdings),
        "shares": bool(case.shares),
        "flushes": bool(case.flushes),
        "applied": case.applied is not None,
        "fetches": evidence.has_fetches and bool(case.world.fetches),
    }
    for claim, tables in NEEDS.items():
        if not all(there[table] for table in tables):
            found[claim] = frozenset({Answer.UNKNOWN})
    return found


def differences(
    truth: Mapping[str, frozenset[Answer]], said: Mapping[str, Answer]
) -> dict[str, str]:
    """The claims of which the judge says what may not be said."""
    return {
        claim: f"right: {' or '.join(sorted(allowed))}; said: {said[claim]}"
        for claim, allowed in truth.items()
        if said[claim] not in allowed
    }
