"""How texts in a record have to look."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """How every text of a column has to look: a regular expression, and the same in words."""

    pattern: str
    description: str


# A row with a word that nobody knows cannot be left out: it may be the send, or the poll, by which
# a claim is decided. A table that has one is refused.
FORMS = {
    "action": Form("send|poll|end|stall", "send, poll, end or stall"),
    "outcome": Form("invoked|ok|failed|unknown", "invoked, ok, failed or unknown"),
    "acks": Form("all|1|0", "all, 1 or 0"),
    "stage": Form("request|response", "request or response"),
    "role": Form("producer|consumer", "producer or consumer"),
    "isolation": Form("read_committed|read_uncommitted", "read_committed or read_uncommitted"),
    "begins_at": Form("earliest|latest", "earliest or latest"),
    "replicas": Form(r"-?[0-9]+(,-?[0-9]+)*", "broker ids with commas and nothing else"),
    "what": Form("assigned|revoked|lost", "assigned, revoked or lost"),
    "step": Form("handed|accepted|released", "handed, accepted or released"),
    "tells": Form(
        "input|output|position|inputs-end|outputs-end",
        "input, output, position, inputs-end or outputs-end",
    ),
    "each": Form("exactly|at least|at most", "exactly, at least or at most"),
    "keeps": Form("key|order|key,order", "key, order or key,order"),
    "isr": Form(r"(-?[0-9]+(,-?[0-9]+)*)?", "broker ids with commas and nothing else"),
}
