"""The histories that Jepsen tests its own Kafka checker with, told in the terms of our record.

They stand in `kafka_test.clj` of jepsen-io/jepsen. A case has the name of the test there, and
behind a dot which of its histories it is.

A line of a history is an operation, or several at once with a bar between them: who, what, and the
records. `x:a@0` is the record a at offset 0 of the topic x, and `x@0` a position; what is not known
is left out. Behind `sends` a question mark says that the outcome is unknown (Jepsen's info), an
exclamation mark that it failed. An answer is a claim alone where it holds, and the records behind
it where it is violated; claims that are not named are not violated.

So told, a key of Jepsen's is a topic with one partition, a process is a client that sends and
polls, and its operations are taken apart into their records. Who subscribes to keys without x, or
assigns them, gives x up, and is assigned it anew before polling it again; with x among them the
position in x is kept. A transaction that fails or crashes sends its client back to where it began:
that is an assignment too. What had been polled in it was handed over
nevertheless, and its rows are like all others.

Not judged here, and why:

| in Jepsen | with us |
| --- | --- |
| Which offsets an operation touches, where values stand first and last (op->max-offsets-test, log->last-index->values-test, log->value->first-index-test) | Steps of its own reckoning, no answers. |
| What is still to be polled (gen-poll-unseen-test) | A matter of its generator. |
| Cycles G0 and G1c (g0-test, g1c-pure-wr-test, g1c-ww-wr-test) | The record knows what became of each record, not which ones a transaction sent and polled. |
| A send of unknown outcome counts as committed when another one of its transaction was read (version-orders-test.conflict, inconsistent-offsets-test.proven, lost-write-test.proven) | For the same reason it promises nothing, and stands nowhere until it is polled itself. |
| Anomalies within one transaction have names of their own (int-poll-skip-test, int-nonmonotonic-poll-test) | Polls are judged one after the other, and our names are the same for both. |
| Other records between those that one transaction sent (int-send-skip-test) | Kafka interleaves transactions; Jepsen's verdict allows it as well. |
| Sends of one transaction that land in another order (int-nonmonotonic-send-test.together) | They are in flight together, and such sends are not compared. |
| How far a reader lags behind (realtime-lag-test) | Nothing is measured; where a poll that ran dry is told as an end, a lag above zero is a stale read. |
"""  # noqa: E501 - a table's row is a line

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A history, and our answers."""

    history: str
    answers: str


CASES: dict[str, Case] = {}


def _case(name: str, history: str, answers: str) -> None:
    CASES[name] = Case(history, answers)


# Jepsen knows by b that the send is committed, and finds c and b at offset 1, and b at 3 again.
# Of a, nobody says who sent it: there the history is for another part of its checker.
_case(
    "version-orders-test.conflict",
    """p0 polls x:a@0 x:b@1
       p1 sends? x:c@1 x:b@3 x:d@4""",
    "inconsistent-offsets; duplicate; phantom-read x:a@0",
)
_case(
    "version-orders-test.real-world",
    """p379 sends x:a@537
       p363 sends x:b@537""",
    "inconsistent-offsets x:ab@537; nonmonotonic-send",
)

_CONFLICT = """p0 sends? x:a@0 y:a
               p1 sends x:b@0"""
_case("inconsistent-offsets-test.unproven", _CONFLICT, "inconsistent-offsets")
# Jepsen finds a and b at offset 0 of x, for y's a was read.
_case(
    "inconsistent-offsets-test.proven",
    f"{_CONFLICT}\np2 polls y:a@5",
    "inconsistent-offsets; aborted-read; phantom-read",
)

_case(
    "g1a-test",
    """p0 sends! x:a y:b
       p1 polls x:a@0""",
    "aborted-read x:a@0; phantom-read",
)

_case(
    "lost-write-test.consistent",
    """p0 sends x:a@0
       p0 sends x:b@1 x:d@3
       p1 sends? x:c
       p0 polls x:c@2""",
    "lost-write x:a@0 x:b@1; aborted-read; nonmonotonic-send",
)
_case(
    "lost-write-test.inconsistent",
    """p0 sends x:a@0
       p0 sends x:b@0 x:c@2
       p0 polls x:b@0 x:c@2""",
    "lost-write x:a@0; inconsistent-offsets x:ab@0; nonmonotonic-send",
)
_CRASHED = """p0 sends? x:a y:b@0
              p1 sends? y:c"""
_case("lost-write-test.unproven", f"{_CRASHED}\np3 polls y:c@1", "phantom-read")
# Jepsen calls y's b lost, for x's a was read.
_case("lost-write-test.proven", f"{_CRASHED}\np2 polls x:a@0\np3 polls y:c@1", "phantom-read")

# What comes between two polls of a client: x is still its own, or it is given up and assigned anew.
_BETWEEN = {"": "", ".still-subscribed": "p0 assigns y",
            ".subscribed-to-others": "p0 assigns y\np0 assigns x"}  # fmt: skip

# Nobody was handed f: Jepsen calls it skipped and lost, we call it lost.
for _how, _row in _BETWEEN.items():
    _case(
        f"poll-skip-test{_how}",
        f"""p0 polls x:a@1 x:b@2
            p1 polls x:c@3
            {_row}
            p0 polls x:d@4
            {_row}
            p2 sends x:f@6
            p0 polls x:g@7
            p3 sends? x:a x:b x:c x:d x:g""",
        "lost-write x:f@6; phantom-read",
    )
_case(
    "poll-skip-test.rewound",
    """p0 sends x:a@0 x:b@1 x:c@2
       p1 polls x:a@0
       p1 polls x:b@1 x:c@2
       p1 assigns x@1
       p1 polls x:b@1 x:c@2
       p1 assigns x@1
       p1 polls x:b@1 x:c@2""",
    "lost-write; duplicate; inconsistent-offsets; phantom-read; aborted-read",
)
_NOT_REWOUND = """p0 sends x:a@0 x:b@1 x:c@2 x:d@3 x:e@4 x:f@5
                  p1 polls x:a@0
                  p1 polls x:b@1 x:c@2
                  p1 assigns x@1
                  p1 polls x:d@3 x:e@4"""
_case("poll-skip-test.info", _NOT_REWOUND, "duplicate; phantom-read")
_case(
    "poll-skip-test.not-rewound",
    f"{_NOT_REWOUND}\np1 assigns x@1\np1 polls x:f@5",
    "lost-write; duplicate; phantom-read",
)

for _how, _row in _BETWEEN.items():
    _case(
        f"nonmonotonic-poll-test{_how}",
        f"""p0 sends x:a x:b x:c x:d
            p0 polls x:a@1 x:b@2 x:c@3
            {_row}
            p0 polls x:b@2 x:c@3 x:d@4""",
        "lost-write; duplicate; inconsistent-offsets",
    )

# Jepsen compares operations, and names the first of these records; both stand too low. After a
# subscription to others it allows that, and we do not: no subscription moves what was sent.
for _how, _row in _BETWEEN.items():
    _case(
        f"nonmonotonic-send-test{_how}",
        f"p0 sends x:c@3 x:d@4\n{_row}\np0 sends x:a@1 x:b@2",
        "nonmonotonic-send x:a@1 x:b@2; inconsistent-offsets",
    )

# In one assignment the client is handed b too, late: nothing is skipped there, but it goes back.
_ONE_ASSIGNMENT = {"": "p0 assigns x", ".one-assignment": ""}
for _how, _row in _ONE_ASSIGNMENT.items():
    _case(
        f"int-poll-skip-test{_how}",
        f"""p1 sends? x:a x:b x:d
            p0 polls x:a@1 x:d@4
            {_row}
            p0 polls x:a@1 | p0 polls x:d@4
            {_row}
            p0 polls x:b@2""",
        "phantom-read; duplicate",
    )

_case(
    "int-send-skip-test",
    """p0 sends x:a@1 x:c
       p1 sends? x:b
       p2 polls x:b@2 x:c@3""",
    "lost-write x:a@1; nonmonotonic-send",
)

for _how, _row in _ONE_ASSIGNMENT.items():
    _case(
        f"int-nonmonotonic-poll-test{_how}",
        f"""p0 sends? x:a x:b x:c
            p0 polls x:c@3 x:a@1
            {_row}
            p0 polls x:b@2 x:c@3 | p0 polls x:c@3""",
        "phantom-read; duplicate; inconsistent-offsets",
    )

# Jepsen calls both of these nonmonotonic. The second is told of a client that waits for an answer
# before it sends on.
_case(
    "int-nonmonotonic-send-test.together",
    """p0 sends x:c@3 x:a@1
       p0 sends? y:d y:b
       p1 sends? y:c
       p0 polls y:b@2 y:c@3 y:d@4""",
    "nonmonotonic-send; phantom-read",
)
_case(
    "int-nonmonotonic-send-test.awaited",
    """p0 sends x:c@3
       p0 sends x:a@1""",
    "nonmonotonic-send x:a@1",
)

_case(
    "duplicate-test.basic",
    """p0 sends x:a@1
       p1 sends? x:b
       p2 polls x:b@2 x:a@3""",
    "duplicate x:a@1+3; lost-write; inconsistent-offsets",
)
# Of the ten at either offset, a witness has the smallest and the largest.
_case(
    "duplicate-test.hash-insensitive",
    "\n".join(f"p0 sends x:{n}@0\np1 polls x:{n}@1" for n in range(10)),
    f"duplicate {' '.join(f'x:{n}@0+1' for n in range(10))}; "
    "inconsistent-offsets x:09@0 x:09@1; lost-write; nonmonotonic-send",
)
# For Jepsen b is no aborted read, as what read it was aborted too. It was handed over all the same.
_case(
    "duplicate-test.aborted",
    """p0 sends x:a@1
       p0 sends! x:b@2
       p1 polls x:a@11 x:b@12""",
    "duplicate x:a@1+11; aborted-read x:b@12; lost-write",
)

# Jepsen's lags are 0, 1, 5, 3, 7, 17 and 0, and 0 on y: five are above zero.
_case(
    "realtime-lag-test",
    """p0 assigns x
       p0 ends x@0
       p0 sends x:a@0
       p0 ends x@0
       p1 sends x:c@2 x:d@3
       p0 ends x@0
       p0 polls x:a@0 x:b@1 | p0 ends x@2
       p0 assigns y
       p0 ends x@2 y@0
       p0 assigns x
       p0 ends x@0
       p0 polls x:a@0 x:b@1 | p0 polls x:c@2 x:d@3 | p0 ends x@4
       p1 sends? x:b""",
    "stale-read x:a@0 x:a@0 x:a@0 x:c@2 x:c@2; lost-write; stuck-reader",
)

_case("empty-history-test", "p0 assigns x", "")

# Jepsen counts as unseen what nobody has been handed yet: two, one and none of these. Ours asks
# only below a reader's position, and the last history has one that got to the end.
_SENT = "p0 sends x:a@0 x:b@1"
_case("unseen-test.sent", _SENT, "nonmonotonic-send")
_case("unseen-test.half-seen", f"{_SENT}\np0 polls x:a@0", "phantom-read")
_case("unseen-test.seen", f"{_SENT}\np0 polls x:a@0\np0 polls x:b@1", "lost-write")
_case(
    "unseen-test.half-seen-at-the-end",
    f"{_SENT}\np0 polls x:a@0\np0 ends x@2",
    "lost-write x:b@1; stale-read",
)

_case(
    "g0-test",
    "p0 sends x:a@0 y:a@1 | p1 sends x:b@1 y:b@0",
    "inconsistent-offsets; nonmonotonic-send",
)
_case(
    "g1c-pure-wr-test",
    "p0 sends x:a@0 | p1 sends y:b@0 | p0 polls y:b@0 | p1 polls x:a@0",
    "aborted-read; lost-write",
)
_case(
    "g1c-ww-wr-test",
    "p0 sends x:a@0 y:c@2 | p1 polls x:a@0 | p1 sends y:b@1",
    "aborted-read; nonmonotonic-send",
)
_case(
    "precommitted-read-test",
    "p0 sends x:a@0 | p0 polls x:a@0",
    "aborted-read; lost-write",
)
