"""Writes docs/reactions.md: what two clients do about errors of brokers, documented and seen.

`python -m tests.reactions_page` makes it of docs/reactions.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# In the directory of the checkout:
PAGE = Path("docs", "reactions.md")
TABLE = Path("docs", "reactions.toml")
KAFKA = "4.1.1"
CLIENTS = {"librdkafka": "librdkafka", "java": "Java"}


# What `documented` and `seen` say of a client.
WORDS = {
    "retries": "asks the same again; its application hears nothing",
    "refreshes": "asks for metadata, then the same again; its application hears nothing",
    "finds": "looks for the coordinator, then asks again; its application hears nothing",
    "restarts": "asks for a producer id, then sends again; its application hears nothing",
    "rejoins": "joins its group again; its application hears nothing",
    "resets": "asks for an offset to go on from, and goes on there; its application hears nothing",
    "ignores": "does nothing about it; its application hears nothing",
    "retriable": "tells its application, as an error that may pass",
    "told": "tells its application, as an error that does not pass; the same client goes on",
    "abortable": "tells its application, which aborts; the next transaction commits",
    "fatal": "tells its application, and can do nothing more",
}
STORIES = {
    "produce": "an idempotent producer has sent a record, and sends another one",
    "start": "an idempotent producer begins",
    "transaction": "a producer has committed a transaction, and plays another one with offsets",
    "transactional-start": "a transactional producer begins",
    "member": "a member of a group of the classic protocol",
    "modern-member": "a member of a group of the consumer protocol (KIP-848)",
}
HEAD = """\
# What clients do about errors that brokers answer

Written by `python -m tests.reactions_page`; change [reactions.toml](reactions.toml), not this page.
{rows} errors, each put once in the place of a broker's answer by the gate
([how](howto/gate.md)), with two clients: librdkafka (by confluent-kafka), and the newest locked one
of Kafka's own for Java, on brokers of 4.1.1 unless a row says otherwise. *Documented* is what the
client's documentation says, or where that says nothing its source; *seen* is what went by at the
gate and what the application was told. {played} of {cells} have been played, and {different} of
these differ, in bold. A test plays all of them on a real cluster, and fails where anything else is
seen than what stands here, or of one that has not been played than what is documented
([why](adr/0084-an-error-for-one-partition-is-put-into-a-brokers-answer.md)).
"""


@dataclass(frozen=True, slots=True)
class Row:
    """An error of an api in a story; of each client what is told of it, `documented` and `seen`."""

    api: str
    error: str
    story: str
    clients: Mapping[str, Mapping[str, str]]

    @property
    def name(self) -> str:
        return f"{self.api}-{self.error}-{self.story}"

    def seen(self, client: str) -> str | None:
        """None: it has not been played yet."""
        return self.clients[client].get("seen")

    def on(self, client: str) -> str:
        """The release of the brokers."""
        return self.clients[client].get("on", KAFKA)

    def differs(self, client: str) -> bool:
        return self.seen(client) not in {None, self.clients[client]["documented"]}


def table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return found


def rows() -> list[Row]:
    return [
        Row(
            each["api"],
            each["error"],
            each["story"],
            {client: each[client] for client in CLIENTS if client in each},
        )
        for each in table()["row"]
    ]


def render() -> str:
    """The whole page."""
    told = rows()
    pairs = [(row, client) for row in told for client in CLIENTS]
    different = sum(row.differs(client) for row, client in pairs)
    played = sum(row.seen(client) is not None for row, client in pairs)
    lines = [HEAD.format(rows=len(told), different=different, played=played, cells=len(pairs))]
    for names, title in ((WORDS, "reaction"), (STORIES, "story")):
        lines += [f"| {title} | |", "| --- | --- |"]
        lines += [f"| {name} | {meaning} |" for name, meaning in names.items()]
        lines.append("")
    for api in dict.fromkeys(row.api for row in told):
        lines += [f"## {api}", "", "| error | story | client | documented | seen | where |"]
        lines.append("| --- | --- | --- | --- | --- | --- |")
        for row in told:
            if row.api == api:
                lines += _lines(row)
        lines.append("")
    lines += ["## Where it is documented", ""]
    lines += [f"- {CLIENTS[name]}: {about}" for name, about in table()["sources"].items()]
    return "\n".join(lines) + "\n"


def _lines(row: Row) -> Iterator[str]:
    for client, shown in CLIENTS.items():
        told = row.clients[client]
        seen = row.seen(client) or "not played yet"
        seen = f"**{seen}**" if row.differs(client) else seen
        where = f"{told['source']}. {told['note']}" if "note" in told else told["source"]
        cells = (row.error, row.story, shown, told["documented"], seen, where)
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
