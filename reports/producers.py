"""Producers that went on under another producer id or epoch, by the batches that the gate saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highwater.reports.contents import RunContents
from highwater.reports.wording import shortened

MOST = 40  # rows; in transactions each may have an epoch of its own (KIP-890)
LONGEST_NAME = 80

Identity = tuple[int, int]  # producer id and epoch


@dataclass(slots=True)
class Stay:
    """How long a client went under one id and epoch."""

    client: str
    producer_id: int
    epoch: int
    from_ns: int  # when the first batch was seen
    is_given: bool  # whether InitProducerId had been answered by it
    batches: int = 0
    records: int = 0
    refused: int = 0  # batches that were answered with an error, or not at all
    first_sequence: int = 0


@dataclass(frozen=True, slots=True)
class Producers:
    stays: Sequence[Stay]
    left_out: int


def producers(contents: RunContents) -> Producers:
    """Of clients that had more than one; in the order of time, client by client."""
    by_client: dict[str, dict[Identity, Stay]] = {}
    given = _given(contents)
    names = ("asked_ns", "client", "producer_id", "epoch", "base_sequence", "records", "error_code")
    for at_ns, client, number, epoch, sequence, records, error in sorted(
        contents.rows("batches", *names), key=lambda row: int(row[0])
    ):
        if None in (client, number, epoch, sequence, records) or number < 0:
            continue  # it is not idempotent, or says nothing of itself
        stays = by_client.setdefault(client, {})
        stay = stays.setdefault(
            (number, epoch),
            Stay(
                shortened(client, LONGEST_NAME),
                number,
                epoch,
                at_ns,
                (client, number, epoch) in given,
                first_sequence=sequence,
            ),
        )
        stay.batches += 1
        stay.records += records
        stay.refused += error != 0
    changed = [by_client[client] for client in sorted(by_client) if len(by_client[client]) > 1]
    every = [stay for stays in changed for stay in stays.values()]
    return Producers(every[:MOST], max(0, len(every) - MOST))


def _given(contents: RunContents) -> frozenset[tuple[str, int, int]]:
    names = ("client", "producer_id", "epoch", "error_code")
    return frozenset(
        (client, number, epoch)
        for client, number, epoch, error in contents.rows("producer_ids", *names)
        if error == 0
    )
