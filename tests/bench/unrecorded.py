"""The same client program with nothing recorded: what the one that records is compared with.

`python -m tests.bench.unrecorded` hears and says what `python -m highwater.adapters.confluent` does
and uses the same library in the same way. It keeps no history, writes no journal, sends one
payload for all records, and looks into none that it is handed.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from highwater.adapters.confluent import consuming, producing
from highwater.adapters.confluent.__main__ import main
from highwater.adapters.dialogue import Order
from highwater.harness.workloads import handed, payload


class Unkept:
    """Sends and polls of which nothing is kept."""

    def intend(self, _due_ns: object) -> None:
        pass

    def keyed(self, _hashes: object, _partitions: object = None) -> None:
        pass

    def invoke(self, _values: range, _checksums: object) -> None:
        pass

    def acknowledged_all(self, *_of_records: object) -> None:
        pass

    def ended(self, _value: int, _outcome: object, _error: object) -> None:
        pass

    def made_of(self, _values: object) -> None:
        pass

    def within(self, _transaction: int) -> None:
        pass

    def extend(self, *_of_records: object) -> None:
        pass


class NoHistory:
    """In place of a history."""

    clients = ()

    def promised(self, *_words: object, **_settings: object) -> None:
        pass

    def reader(self, name: str, _at_ns: int | None = None, **_settings: object) -> str:
        return name

    def sends(self, *_words: object) -> Unkept:
        return Unkept()

    polls = sends


@contextmanager
def _recording(_order: Order) -> Generator[Any]:
    yield NoHistory()


def _encoder(size_bytes: int) -> Any:
    """Its loop over values stays, and the work for each of them goes."""
    told = b"." * size_bytes, 0
    return lambda _value: told


if __name__ == "__main__":
    for module in (producing, consuming):
        vars(module)["recording"] = _recording
    vars(payload).update(encoder=_encoder, value_of=lambda _content: 0)
    vars(handed).update(examine_all=lambda _contents: None, hashes_of=lambda _keys: None)
    main()
