"""What may be said of each claim about a case, by what the model knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from highwater.harness.model import Answer
from tests.model import truth_of_reads as reads
from tests.model import truth_of_writes as writes
from tests.model.evidence import Case
from tests.model.facts import Answers, Facts, together

TRUTHS: dict[str, Callable[[Facts], Iterator[Answers]]] = {
    "lost-write": writes.lost_write,
    "unseen": writes.unseen,
    "duplicate": writes.duplicate,
    "phantom-read": reads.phantom_read,
    "aborted-read": reads.aborted_read,
    "corrupt-value": reads.corrupt_value,
    "inconsistent-offsets": reads.inconsistent_offsets,
    "nonmonotonic-send": reads.nonmonotonic_send,
    "nonmonotonic-poll": reads.nonmonotonic_poll,
    "poll-skip": reads.poll_skip,
    "stale-read": reads.stale_read,
    "stuck-reader": reads.stuck_reader,
}

NEEDS_LOGS = {"unseen"}


def truth_of(case: Case) -> dict[str, frozenset[Answer]]:
    facts = Facts(case)
    found = {claim: together(tell(facts)) for claim, tell in TRUTHS.items()}
    evidence = case.evidence
    if not (evidence.has_logs and evidence.has_ends):
        found["unseen"] = frozenset({Answer.UNKNOWN})
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
