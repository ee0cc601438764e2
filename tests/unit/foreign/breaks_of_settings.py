"""Of producers that are set, and fail, in ways that the gate before their broker knows of."""

from __future__ import annotations

from tests.unit.foreign.conformance_rules import ANSWERED, ONCE, PROMPT, SET, UNANSWERED

FAILED = "code=code, retriable=False, refused=False"
BREAKS_OF_SETTINGS = {
    "sends elsewhere": (
        '"partition": told["partition"]}',
        '"partition": 0}',
        SET,
        r"expected records to be sent: to \[\('conformance-spread', 2\)\], saw .* 0\)",
    ),
    "acks of its own": (
        '"acks": settings["acks"]',
        '"acks": "1"',
        SET,
        r"expected acks=all: with acks \['all'\], saw \['1'\] at the broker",
    ),
    "never idempotent": (
        'who = 7 if settings["enable.idempotence"] else -1',
        "who = -1",
        SET,
        r"expected enable.idempotence=true: with a producer id \[True\], saw \[False\]",
    ),
    "always idempotent": (
        'who = 7 if settings["enable.idempotence"] else -1',
        "who = 7",
        SET,
        r"expected enable.idempotence=false: with a producer id \[False\], saw \[True\]",
    ),
    "compresses nothing": (
        '"codec": settings["compression.type"]',
        '"codec": "none"',
        SET,
        r"expected compression.type=gzip: batches compressed by \['gzip'\], saw \['none'\]",
    ),
    "goes past the gate": (
        '    seen("batches", **where',
        '    if told["partition"] > 0: seen("batches", **where',
        PROMPT,
        "expected 5 batches that its broker has answered, saw 0",
    ),
    "is never answered": (
        'base_offset=told["first"], answered_ns=at_ns)',
        "base_offset=None, answered_ns=None)",
        SET,
        "expected a batch that its broker has answered, saw none",
    ),
    "holds outcomes back": (
        '        return say("ok", records=ends)',
        '        time.sleep(0.7); return say("ok", records=ends)',
        PROMPT,
        r"expected one of 5 outcomes to be told within 0.5 s after .* saw the soonest 0.\d s",
    ),
    "calls everything refused": (
        FAILED,
        FAILED.replace("refused=False", "refused=True"),
        ANSWERED,
        "expected refused to be false of a record that was sent and answered",
    ),
    "a code of its own": (
        FAILED,
        FAILED.replace("code=code", "code=19"),
        ANSWERED,
        "expected the code 29 of its answer, or null, saw 19",
    ),
    "calls refused what has no code": (
        FAILED,
        FAILED.replace("refused=False", "refused=code is None"),
        UNANSWERED,
        "expected refused to be false of a record that was sent and not answered",
    ),
    "the code of an answer that it never had": (
        FAILED,
        FAILED.replace("code=code", "code=code or 19"),
        UNANSWERED,
        "expected no code of an answer that it never had, saw 19",
    ),
    "does not wait for its broker": (
        "        stand(0.5)\n    elif code is None:",
        "        pass\n    elif code is None:",
        UNANSWERED,
        "expected no outcome before its broker has answered, saw",
    ),
    "tries again": (
        'begin["settings"]["retries"]',
        "5",
        ONCE,
        "expected one attempt where retries is 0, saw 6",
    ),
    "calls refused what its broker refused": (
        FAILED,
        FAILED.replace("refused=False", "refused=code == 19"),
        ONCE,
        "expected refused to be false of a record whose broker refused it",
    ),
    "another code of what its broker refused": (
        FAILED,
        FAILED.replace("code=code", "code=code and 29"),
        ONCE,
        "expected the code 19 of its answer, or null, saw 29",
    ),
}
