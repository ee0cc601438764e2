"""Jepsen's Kafka checker and our claims say the same of its own test histories.

Where they do not, `tests/checkers/jepsen.py` says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from tests.checkers.conftest import HELD, HISTORIES, UNKNOWN, VIOLATED, Row, producer
from tests.checkers.jepsen import CASES

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

Verdicts = dict[str, dict[str, Verdict]]

ACTIONS = {"sends": "send", "polls": "poll", "ends": "end"}
OUTCOMES = {"": "ok", "?": "unknown", "!": "failed"}
RECORD = re.compile(r"(?P<topic>\w)(:(?P<letter>\w))?(@(?P<offset>\d+))?")
LETTERS = 1 << 8  # a value is unique over all topics: it has its topic's letter and its own

# What is said of single readers, by claim: a case that is not named here is not asked.
READERS: dict[str, dict[str, str]] = {
    # A record is too low or not, whatever operation it came with: Jepsen names the first of each.
    "nonmonotonic-poll": {
        "nonmonotonic-poll-test": "x:b@2 x:c@3",
        "nonmonotonic-poll-test.still-subscribed": "x:b@2 x:c@3",
        "nonmonotonic-poll-test.subscribed-to-others": "",
        "int-nonmonotonic-poll-test": "x:a@1 x:c@3",
        "int-nonmonotonic-poll-test.one-assignment": "x:a@1 x:b@2 x:c@3 x:c@3",
        "int-poll-skip-test": "",
        "int-poll-skip-test.one-assignment": "x:a@1 x:b@2 x:d@4",
        "duplicate-test.hash-insensitive": " ".join(f"x:{n}@1" for n in range(1, 10)),
        "poll-skip-test": "",
        "poll-skip-test.rewound": "",
        "poll-skip-test.not-rewound": "",
        "realtime-lag-test": "",
    },
    # Jepsen finds two skips more, poll-skip-test.info and poll-skip-test.not-rewound: records above
    # the position that an assignment began at, but below all that was handed out in it.
    "poll-skip": {
        "poll-skip-test": "x:c@3",
        "poll-skip-test.still-subscribed": "x:c@3",
        "poll-skip-test.subscribed-to-others": "",
        "poll-skip-test.rewound": "",
        "int-poll-skip-test": "x:b@2 x:b@2",
        # Not in Jepsen: a reader that goes back from c to a has been on either side of b for us.
        "int-nonmonotonic-poll-test": "x:b@2",
        "int-poll-skip-test.one-assignment": "",
        "nonmonotonic-poll-test": "",
        "realtime-lag-test": "",
    },
    "precommitted-read": {
        "precommitted-read-test": "x:a@0",
        "nonmonotonic-poll-test": "",
        "unseen-test.seen": "",
    },
}


def rows_of(history: str) -> Iterator[Row]:
    """Operation after operation, ten nanoseconds each: the sends span it, all else lies within.

    With every assignment of a topic a client gets another name there.
    """
    assigned: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(filter(str.strip, history.splitlines())):
        for operation in line.split("|"):
            client, verb, *records = operation.split()
            for record in records:
                if verb == "assigns":
                    assigned[client, record[0]] += 1
                else:
                    times = assigned[client, record[0]] if verb in {"polls", "ends"} else 0
                    name = f"{client}-{times}" if times else client
                    # How long before its line an operation began whose end nobody knows is open.
                    at_ns = 0 if verb == "sends?" else number * 10
                    yield _row(name, verb, record, at_ns)


def _row(client: str, verb: str, record: str, at_ns: int) -> Row:
    said = RECORD.fullmatch(record)
    assert said, record
    topic, letter, offset = said["topic"], said["letter"], said["offset"]
    action = ACTIONS[verb.rstrip("?!")]
    is_send = action == "send"
    return "history", {
        "client": client,
        "action": action,
        "outcome": OUTCOMES[verb[len(verb.rstrip("?!")) :]],
        "topic": topic,
        "partition": 0,
        "offset": None if offset is None else int(offset),
        "value": None if letter is None else ord(topic) * LETTERS + ord(letter),
        "acks": "all" if is_send else None,
        "invoked_ns": at_ns if is_send else at_ns + 4,
        "completed_ns": at_ns + 9 if is_send else at_ns + 5,
    }


def clients_of(rows: Sequence[Row], *, transactional: bool) -> Iterator[Row]:
    """Readers begin at the beginning; operations are transactions where that is what is asked."""
    for client in dict.fromkeys(row["client"] for _, row in rows):
        used = client if transactional else None
        yield producer(client, transactional_id=used, begins_at="earliest")


for _name, _case in CASES.items():
    _rows = list(rows_of(_case.history))
    _used = _name in READERS["precommitted-read"]
    HISTORIES[_name] = ("", [*_rows, *clients_of(_rows, transactional=_used)])


def _expected(name: str) -> dict[str, list[str]]:
    told = [answer.split() for answer in CASES[name].answers.split(";") if answer]
    answers = {claim: records for claim, *records in told}
    of_readers = {claim: cases[name].split() for claim, cases in READERS.items() if name in cases}
    return {claim: sorted(records) for claim, records in (answers | of_readers).items()}


def _record(witness: Mapping[str, Any]) -> str:
    """A witness as histories have it; the numbers of a pair stand side by side."""
    values = [witness.get(name) for name in ("value", "other_value", "first_hidden")]
    letters = "".join(chr(value % LETTERS) for value in values if value is not None)
    offsets = [str(witness[name]) for name in ("offset", "also_at") if name in witness]
    return f"{witness['topic']}:{letters}@{'+'.join(offsets)}"


@pytest.mark.parametrize("name", CASES)
def test_a_history_of_jepsens_is_answered_as_expected(name: str, verdicts: Verdicts) -> None:
    expected = _expected(name)

    violated = {
        claim: sorted(map(_record, said.witnesses))
        for claim, said in verdicts[name].items()
        if said.answer is VIOLATED
    }
    held = {claim for claim, said in verdicts[name].items() if said.answer is HELD}

    assert violated == {claim: records for claim, records in expected.items() if records}
    assert {claim for claim, records in expected.items() if not records} <= held


def test_of_a_history_without_reads_and_writes_nothing_is_said(verdicts: Verdicts) -> None:
    answers = {said.answer for said in verdicts["empty-history-test"].values()}

    assert answers == {UNKNOWN}


def test_what_is_expected_of_readers_is_about_these_histories() -> None:
    assert {name for cases in READERS.values() for name in cases} <= set(CASES)
