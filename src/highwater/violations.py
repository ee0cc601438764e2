"""A violated claim in words: what it means, its first witness, and the likely reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from highwater.checkers.catalogue import chosen
from highwater.harness.model import Verdict
from highwater.harness.record.reader import StoredRun
from highwater.reasons import likely_reason

# By claim; the names are columns of its witnesses. {place} is the partition.
SENTENCES = {
    "lost-write": "value {value}, which {client} sent with acks={acks} and which stood at offset "
    "{offset} of {place}, is {where}",
    "duplicate": "value {value} stands at offset {offset} of {place} and at offset {also_at} too",
    "phantom-read": "{client} read value {value} at offset {offset} of {place}, and nobody sent it",
    "inconsistent-offsets": "offset {offset} of {place} held value {value} and held value "
    "{other_value}",
    "nonmonotonic-send": "{client} sent value {value} after value {after_value}, and it got offset "
    "{offset} of {place}, below offset {after_offset}",
    "reordered": "{client} was given value {value} after value {after_value}, and it stands at "
    "offset {offset} of {place}, below offset {after_offset}",
    "corrupt-value": "value {value} at offset {offset} of {place}, found by {found_by}: {problem}",
    "replica-divergence": "offset {offset} of {place} is not the same on all replicas: {held}",
    "committed-truncation": "broker {broker}, {role}, had a log of {place} that ended at offset "
    "{log_end_offset}, below the high watermark {high_watermark} that broker {seen_by} had told",
    "aborted-read": "{client} read value {value} at offset {offset} of {place}, whose send had "
    "failed: {failed_because}",
    "unseen": "value {value}, acknowledged to {client} at offset {offset} of {place}, is in the "
    "leader's log, and a reader that passed this offset was not handed it",
    "stalled-sends": "of the sends to {place} that waited none was acknowledged from {since_s} s "
    "to {until_s} s",
    "commit-regression": "{client} committed offset {offset} of {place} for the group {group}, for "
    "which offset {after_offset} had been committed before",
    "committed-beyond-end": "{client} committed offset {offset} of {place} for the group {group}, "
    "and all that is told of that log ends at offset {log_end_offset}",
    "unprocessed": "{client} committed offset {committed} of {place} for the group {group}, and "
    "none of its members has processed the record at offset {offset}",
    "handed-again": "{client} was handed value {value} at offset {offset} of {place} again, for "
    "the group {group}, which had committed offset {committed} by then",
    "torn-transaction": "value {value}, which {client} sent to {place} in its transaction "
    "{transaction}, is {where}; another record of that transaction was handed to a reader",
    "not-exactly-once": "of value {value} at offset {offset} of {place} the pipeline {group} has "
    "made {outputs} records that readers were handed: {output}, {other_output}",
    "two-owners": "{client} was assigned {place} for the group {group} while {other} held it, and "
    "both finished with records of it before one of them had given it up",
    "flushed-too-early": "{client} said at {flushed_s} s that it has flushed, and had no outcome "
    "yet of the record {value} of {place}, which it was handed at {invoked_s} s",
    "stuck-group": "from {since_s} s to {until_s} s the group {group} was handed nothing of "
    "{place}, with nothing done to it, and the record at offset {offset} was there to read",
    "accepted-again": "{client} was confirmed to have accepted offsets {first_offset} to below "
    "{end_offset} of {place} for the share group {group}, of which {other} had accepted some, too",
    "broken-contract": "the application {contract} has made {outputs} outputs of {inputs} inputs "
    "with the identity {identity}, at offset {offset} of {place}: {problem}",
    "circular-information-flow": "{transactions} transactions were each handed a record of the one "
    "before, and the first one a record of the last: {circle}",
    "hanging-transaction": "from {since_s} s to {until_s} s the last stable offset of {place} was "
    "{last_stable_offset} at its leader {leader}, though no transaction may last longer than "
    "{longest_timeout_ms} ms there",
    "stuck-transaction": "from {since_s} s to {until_s} s broker {coordinator}, its coordinator, "
    "said of the transaction of {transactional_id} (producer {producer_id}, epoch {epoch}) that it "
    "is in {state}",
    "stuck-move": "from {since_s} s to {until_s} s the replicas of {place} moved from {removing} "
    "to {adding}, and were in sync there: the ISR was {isr}",
    "flapping-isr": "from {since_s} s to {until_s} s the replica of broker {broker} came into the "
    "ISR of {place} {joins} times, led by broker {leader} in one epoch",
    "left-behind": "from {since_s} s to {until_s} s the replica of broker {broker} was not in the "
    "ISR of {place}, led by broker {leader}, though its broker ran, was registered and answered, "
    "and nothing was written",
    "poll-skip": "{client} was handed what lies before and behind offset {offset} of {place}, and "
    "not value {value}, which {handed_to} was handed there",
    "nonmonotonic-poll": "{client} was handed value {value} at offset {offset} of {place} after "
    "offset {after_offset}",
    "stale-read": "{client}, which read {place} from {invoked_s} s to {completed_s} s, was told "
    "that it ends at offset {offset}; offset {first_hidden_at} had been committed before, the "
    "first of {hidden_records} that were not shown to it",
    "stuck-reader": "from {invoked_s} s to {completed_s} s {client} stood at offset {offset} of "
    "{place}, and the record at offset {next_committed_at} had been committed before",
    "precommitted-read": "{client} was handed its own value {value} at offset {offset} of {place}, "
    "and the transaction with it had not ended until {send_ended_s} s",
    "high-watermark-regression": "the high watermark of {place} at broker {broker}, its leader in "
    "epoch {leader_epoch}, was {high_watermark} at {at_s} s, and had been {seen_before}",
    "leader-high-watermark": "at {at_s} s broker {broker}, the leader of {place}, had the high "
    "watermark {high_watermark}, where the smallest log end that it knew of was {smallest_known}, "
    "and its own was {log_end_offset}",
    "follower-high-watermark": "at {at_s} s broker {broker}, a follower of {place}, had the high "
    "watermark {high_watermark}, where its leader had told it {told}, and its log ended at offset "
    "{log_end_offset}",
    "lagging-in-sync": "at {at_s} s broker {broker} was in the ISR of {place} and its log ended at "
    "offset {log_end_offset}; that of broker {leader}, its leader in epoch {leader_epoch}, had "
    "ended at offset {leader_had} two minutes and more before",
    "leader-out-of-sync": "at {at_s} s broker {leader} led {place}, whose ISR was {isr}, as "
    "broker {broker} knew",
    "epoch-checkpoint": "the record at offset {offset} of {place} on broker {broker} has the "
    "leader epoch {leader_epoch}, and by the checkpoint there it is of epoch {checkpoint_epoch}",
    "leader-epoch-order": "in the log of {place} on broker {broker} the batch of offset "
    "{offset} (byte {position} of {segment}) has the leader epoch {leader_epoch}, after one of "
    "epoch {epoch_before}",
    "offsets-out-of-order": "in the log of {place} on broker {broker} the batch of offset "
    "{offset} (byte {position} of {segment}) comes after offset {offset_before}",
    "log-not-contiguous": "in the log of {place} on broker {broker} offset {offset} comes after "
    "offset {offset_before}, with none between",
    "stuck-broker": "broker {broker} ran, was registered and answered nothing from {since_s} s to "
    "{until_s} s",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What suite.json says of a claim that was violated; `likely` is "" where nobody knows."""

    claim: str
    meaning: str  # what holds where the claim does
    anomalies: int
    considered: int
    about: str  # what was considered
    witness: str
    likely: str

    def described(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.claim}: {self.anomalies} of {self.considered} {self.about}",
            f"  the claim: {self.meaning}",
            f"  first witness: {self.witness}",
        ]
        return "\n".join([*lines, f"  likely reason: {self.likely}"] if self.likely else lines)


def violation(verdict: Verdict, run: StoredRun) -> Violation:
    """Say it of the verdict of a claim that was violated; raises RecordError as the run does."""
    (claim,) = chosen([verdict.claim])
    first = verdict.witnesses[0] if verdict.witnesses else {}
    return Violation(
        claim=verdict.claim,
        meaning=claim.title,
        anomalies=verdict.anomalies,
        considered=verdict.considered,
        about=claim.about,
        witness=in_words(verdict.claim, first) or verdict.reason or "none was kept",
        likely=likely_reason(verdict.claim, first, run) if first else "",
    )


def in_words(claim: str, witness: Mapping[str, Any]) -> str:
    """A witness as a sentence; as names and values where the claim has no sentence for it."""
    words = {name: "none" if value is None else value for name, value in witness.items()}
    words |= {
        f"{name.removesuffix('_ns')}_s": f"{value / 1e9:.1f}"
        for name, value in witness.items()
        if name.endswith("_ns") and isinstance(value, int)
    }
    if "topic" in witness and "partition" in witness:
        words["place"] = f"{witness['topic']}-{witness['partition']}"
    if words.get("where") == "none":
        words["where"] = "read by nobody"
    try:
        return SENTENCES[claim].format_map(words)
    except KeyError:  # a claim without a sentence, or a record judged by another version
        return ", ".join(f"{name} {value}" for name, value in words.items() if name in witness)
