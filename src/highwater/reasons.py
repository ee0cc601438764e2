"""Why a claim was probably violated, where the record or the settings say it; never a guess."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.record.reader import StoredRun

Witness = Mapping[str, Any]
UNCLEAN = "unclean.leader.election.enable"
NOBODY = -1  # leads


def likely_reason(claim: str, witness: Witness, run: StoredRun) -> str:
    """What made this anomaly possible, as far as the record tells; "" where it does not.

    Raises RecordError where the record cannot be read.
    """
    return next((why for reason in REASONS.get(claim, ()) if (why := reason(witness, run))), "")


def _acknowledged_by_one(witness: Witness, run: StoredRun) -> str:
    """acks=all means all that are in sync, and that may be the leader alone."""
    at_ns = witness.get("completed_ns")
    if at_ns is None:
        return ""
    before = [isr for seen_ns, _, isr in _looks(witness, run) if seen_ns <= at_ns]
    if not before or len(before[-1]) != 1:
        return ""
    least = setting(run, "min.insync.replicas")
    return f"when it was acknowledged broker {before[-1][0]} was alone in the ISR" + (
        f", and min.insync.replicas={least} allows that" if least else ""
    )


def _unclean_election(witness: Witness, run: StoredRun) -> str:
    """A replica may lead that was not in sync: what it lacks is lost."""
    if setting(run, UNCLEAN) != "true":
        return ""
    seen = list(_looks(witness, run))
    for (_, old, isr), (at_ns, leader, _) in itertools.pairwise(seen):
        if leader not in {old, NOBODY, *isr}:
            members = ", ".join(map(str, isr))
            return (
                f"{UNCLEAN}=true: broker {leader}, which led from {at_ns / 1e9:.1f} s on, was not "
                f"in the ISR ({members}) seen before"
            )
    return ""


def _weak_acks(witness: Witness, run: StoredRun) -> str:
    """Only acks=all promises that a record outlives its leader."""
    history = run.table("history").filter(pc.field("action") == "send")
    named = [witness.get(name) for name in ("value", "other_value")]
    wanted = pa.array([each for each in named if each is not None], pa.int64())
    for row in history.filter(pc.is_in(history["value"], value_set=wanted)).to_pylist():
        if row["acks"] in {"0", "1"}:
            return (
                f"{row['client']} sent value {row['value']} with acks={row['acks']}, which does "
                "not promise that a record outlives its leader"
            )
    return ""


def setting(run: StoredRun, name: str, topic: object = None) -> str | None:
    """What a setting was for a topic of a run: the topic's own, else the brokers'."""
    topics = run.identity.get("topics")
    own = topics.get(topic) if isinstance(topics, Mapping) else None
    common = own if isinstance(own, Mapping) else run.identity.get("topic_settings")
    for layer in (common, run.identity.get("settings")):
        value = layer.get(name) if isinstance(layer, Mapping) else None
        if value is not None:
            return str(value)
    for properties in sorted((run.path / "brokers").glob("*/server.properties")):
        for line in properties.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            if key == name:
                return str(value)
    return None


def _looks(witness: Witness, run: StoredRun) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """When somebody looked at the witness's partition, who led, and who was in the ISR."""
    table = run.table("replica_states").select(["at_ns", "topic", "partition", "leader", "isr"])
    here = (witness.get("topic"), witness.get("partition"))
    for row in sorted(table.to_pylist(), key=lambda each: each["at_ns"]):
        if (row["topic"], row["partition"]) == here and None not in {row["leader"], row["isr"]}:
            isr = tuple(int(each) for each in row["isr"].split(",") if each)
            yield row["at_ns"], row["leader"], isr


REASONS: Mapping[str, tuple[Callable[[Witness, StoredRun], str], ...]] = {
    "lost-write": (_acknowledged_by_one, _unclean_election),
    "replica-divergence": (_unclean_election,),
    "committed-truncation": (_unclean_election,),
    "inconsistent-offsets": (_weak_acks, _unclean_election),
    "nonmonotonic-poll": (_weak_acks,),
    "poll-skip": (_weak_acks,),
}
