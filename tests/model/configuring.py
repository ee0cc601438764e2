"""What the record says that clients are set to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.model.clients import KEEPS_ORDER, Reader
from tests.model.evidence import Case

TRANSACTION_MS = 10_000


def client_rows(case: Case) -> Iterator[dict[str, Any]]:
    world = case.world
    for name in sorted({one.client for one in world.sends}):
        own = {one.transaction for one in world.sends if one.client == name}
        ended_ns = case.lives.ends[name] if name in case.lives.told else None
        yield {
            "client": name,
            "client_id": name,
            "role": "producer",
            "transactional_id": None if own == {None} else name,
            "transaction_timeout_ms": None if own == {None} else TRANSACTION_MS,
            "group_id": _sends_for(case, name),
            "ended_ns": None if ended_ns is None else case.evidence.rounded(ended_ns),
            "keeps_order": KEEPS_ORDER.get(name),
        }
    readers = [one.reader for one in world.handings] + [one.reader for one in world.stops]
    for name, reader in sorted({one.name: one for one in readers}.items()):
        begins_at = "earliest" if case.evidence.tells_topics and reader.start == 0 else None
        group = None if reader.group is None else f"g{reader.group}"
        began = {"begins_at": begins_at, "began_ns": case.evidence.rounded(reader.began_ns)}
        reads_for = None if case.within is None else case.within.sender.get(name)
        told = {"isolation": _isolation(reader), "group_id": group, "client_id": reads_for}
        yield {"client": name, "role": "consumer", **told, **began}


def _isolation(reader: Reader) -> str:
    return "read_uncommitted" if reader.takes_uncommitted else "read_committed"


def _sends_for(case: Case, client: str) -> str | None:
    pipeline = case.pipeline
    is_its = pipeline is not None and pipeline.client == client
    return f"g{pipeline.group}" if pipeline is not None and is_its else None
