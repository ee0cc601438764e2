"""What the gate has seen of clients' traffic, as the harness is told it: rows, by tables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from highwater.harness.gate.traffic import COLUMNS

Told = Mapping[str, Sequence[Sequence[Any]]]  # by tables: rows in the order of COLUMNS
Row = Mapping[str, Any]
Hear = Callable[[str, Row], None]  # the table, and a row of it by its columns


class Rows:
    """Of one gate; `ask` sends it a command. Who hears is called by the thread that reads them."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self.is_between = False  # whether the gate stands between clients and brokers
        self._ask = ask
        self._hearing: list[Hear] = []
        self._unread: set[tuple[int, str | None]] = set()  # api and client

    def hear(self, told: Told) -> None:
        for table, rows in told.items():
            for row in rows:
                named = dict(zip(COLUMNS[table], row, strict=True))
                for each in tuple(self._hearing):
                    each(table, named)

    def hear_unread(self, api_key: int, client: str | None) -> None:
        self._unread.add((api_key, client))

    def are_whole(self, api_key: int, client: str) -> bool:
        """Whether, since they are seen, each request of this client's of this api was read."""
        return not self._unread & {(api_key, client), (api_key, None)}

    @contextmanager
    def heard_by(self, hear: Hear) -> Generator[None]:
        """`hear` is told of them meanwhile, as far as they are seen."""
        self._hearing.append(hear)
        try:
            yield
        finally:
            self._hearing.remove(hear)

    def see(self, jars: Sequence[Path]) -> None:
        """From now on they are seen; these jars of kafka-clients say how messages are read.

        Without any nothing is seen any more, and all that was has been told when this returns.
        """
        self._unread.clear()
        self._ask("see", jars=[str(each) for each in jars])

    def give_up(self) -> None:
        """All that was seen has been told when this returns, also what is not answered yet."""
        self._ask("give_up")
