"""Of members of groups."""

from __future__ import annotations

from tests.unit.foreign.conformance_rules import (
    AFTER,
    BEFORE,
    BUSY,
    COMMIT_REFUSED,
    GOES_ON,
    HANDED,
    LEAVES,
)

SAYS_COMMIT = '    say("commit", at_ns=time.monotonic_ns(), offsets=offsets)\n'
ASSIGNED = 'say("assigned", at_ns=time.monotonic_ns(), **where)'
POLLED = 'topic="conformance", partition=0, records=records)'
ONCE_MORE = f'{POLLED}; say("polled", at_ns=time.monotonic_ns(), {POLLED}'
BREAKS_OF_MEMBERS = {
    "never ready": (
        'def member(begin):\n    say("ready", role="member")',
        "def member(begin):",
        HANDED,
        "ready",
    ),
    "not assigned": (ASSIGNED, "pass", HANDED, "polled only of partitions that it was assigned"),
    "assigned twice": (
        ASSIGNED,
        f"{ASSIGNED}; {ASSIGNED}",
        HANDED,
        "assigned only of partitions that it does not hold",
    ),
    "revoked twice": (
        '    say("revoked", at_ns=time.monotonic_ns(), **where)\n',
        '    for _ in "ab": say("revoked", at_ns=time.monotonic_ns(), **where)\n',
        HANDED,
        "revoked only of partitions that it holds",
    ),
    "another time": (
        ASSIGNED,
        'say("assigned", at_ns=1, **where)',
        HANDED,
        "before it was asked for",
    ),
    "not ready for it": (
        'def member(begin):\n    say("ready", role="member")',
        'def member(begin):\n    say("reached", offsets=[]); say("ready", role="member")',
        HANDED,
        "ready before reached, saw it not ready",
    ),
    "words of a producer": (
        ASSIGNED,
        'say("flushed", at_ns=time.monotonic_ns())',
        HANDED,
        "flushed of a producer only, saw the line",
    ),
    "another topic": (
        POLLED,
        POLLED.replace("conformance", "others"),
        HANDED,
        "polled only of what it reads: conformance, saw 'others'",
    ),
    "has reached another topic": (
        ASSIGNED,
        f'{ASSIGNED}; say("reached", offsets=[["others", 0, 1]])',
        HANDED,
        "reached only of what it reads: conformance, saw 'others'",
    ),
    "has reached nothing": (
        ASSIGNED,
        f'{ASSIGNED}; say("reached", offsets=[["conformance", 0, None]])',
        HANDED,
        r"offsets of reached to be a list of \[topic, partition, position\]",
    ),
    "loses twice": (
        ASSIGNED,
        f"""{ASSIGNED}; [say("lost", at_ns=time.monotonic_ns(), **where) for _ in "ab"]""",
        HANDED,
        "lost only of partitions that it holds",
    ),
    "given up before it was assigned": (
        'say("revoked", at_ns=time.monotonic_ns()',
        'say("revoked", at_ns=BORN_NS',
        HANDED,
        "an at_ns of revoked not before that of what came before it",
    ),
    "assigned before it was lost": (
        ASSIGNED,
        f"""{ASSIGNED}; say("lost", at_ns=time.monotonic_ns(), **where)
    say("assigned", at_ns=BORN_NS, **where)""",
        HANDED,
        "an at_ns of assigned not before that of what came before it",
    ),
    "handed out before it was assigned": (
        f'say("polled", at_ns=time.monotonic_ns(), {POLLED}',
        f'say("polled", at_ns=BORN_NS, {POLLED}',
        HANDED,
        "an at_ns of polled not before that of assigned",
    ),
    "processed before it was handed out": (
        'say("processed", at_ns=time.monotonic_ns()',
        'say("processed", at_ns=BORN_NS',
        HANDED,
        "an at_ns of processed not before that of polled",
    ),
    "answered before it was asked": (
        'say("committed", at_ns=time.monotonic_ns()',
        'say("committed", at_ns=BORN_NS',
        HANDED,
        "an at_ns of committed not before that of commit",
    ),
    "a clock of its own": (
        'clock="monotonic"',
        'clock="own"',
        HANDED,
        "the clock of literal 1 to be 'monotonic', for times of members",
    ),
    "skips": (
        "for line in log][at:]",
        "for line in log][at + 1:]",
        HANDED,
        "say what it is handed",
    ),
    "drops the key": ("[[at + n, value, key]", "[[at + n, value, None]", HANDED, "another one"),
    "hands out twice": (POLLED, ONCE_MORE, HANDED, "each once and in their order"),
    "processes more": (
        '["conformance", 0, at, end]',
        '["conformance", 0, at, end + 1]',
        HANDED,
        "processed of what it was handed, which of conformance-0 is .* saw it of 0 to",
    ),
    "answers what nobody asked": (
        '    say("commit", at_ns=time.monotonic_ns(), offsets=offsets)\n',
        "",
        HANDED,
        "committed of what it said to commit, once",
    ),
    "commits too early": (
        'begin["commits"] == "before"',
        "True",
        AFTER,
        "expected processed before commit, saw commit first",
    ),
    "never commits": (
        'if begin["commits"] == "after":',
        "if False:",
        AFTER,
        "for the adapter to ask its broker to commit",
    ),
    "only says so": ("file.write(str(end))", "file.write('0')", AFTER, "its group has committed"),
    "commits late": (
        'if begin["commits"] == "before":\n        commit(kept, end)',
        "pass",
        BEFORE,
        "for the adapter to ask its broker to commit",
    ),
    "says what its library commits": (
        'enable.auto.commit"):\n        ask(kept, end)',
        'enable.auto.commit"):\n        commit(kept, end)',
        LEAVES,
        "expected no commit where its library commits by itself",
    ),
    "has no library that commits": (
        'enable.auto.commit"):\n        ask(kept, end)',
        'enable.auto.commit"):\n        pass',
        LEAVES,
        "for the adapter to have its library commit 200 ms after",
    ),
    "has a library that commits less": (
        'enable.auto.commit"):\n        ask(kept, end)',
        'enable.auto.commit"):\n        ask(kept, 7)',
        LEAVES,
        "expected its library to have committed up to .* saw 7",
    ),
    "says committed at once": (
        "    code = ask(kept, end)\n",
        """    say("committed", at_ns=time.monotonic_ns(), offsets=offsets, error=None, code=None)
    ask(kept, end)
    return
""",
        AFTER,
        "expected no committed before its broker has answered, saw",
    ),
    "says commit when it has committed": (
        SAYS_COMMIT + "    code = ask(kept, end)\n",
        "    code = ask(kept, end)\n" + SAYS_COMMIT,
        AFTER,
        "for the adapter to say 'commit' before it asks its broker for it",
    ),
    "commits once": (
        '    if begin["commits"] == "after":',
        '    if begin["commits"] == "after" and at == 0:',
        AFTER,
        r"for the adapter to commit up to \d+, which it has processed, before it is told to stop",
    ),
    "asks for more than it says": (
        "    code = ask(kept, end)\n",
        "    ask(kept, end - 1); code = ask(kept, end)\n",
        AFTER,
        "expected commit of .* said before its broker is asked for it, saw it asked without a word",
    ),
    "commits what no broker has": (
        "    code = ask(kept, end)\n",
        """    code = ask(kept, end)
    say("commit", at_ns=time.monotonic_ns(), offsets=[["conformance", 0, end - 1]])
    say("committed", at_ns=time.monotonic_ns(), offsets=[["conformance", 0, end - 1]], error=None,
        code=None)
""",
        AFTER,
        "expected committed only of what a broker has committed, saw it of .*conformance",
    ),
    "says that nothing was refused": (
        'error = code and "Refused"',
        "error = code = None",
        COMMIT_REFUSED,
        "expected the error of a commit that its broker refused, and the code 28 or null, saw",
    ),
    "another generation": (
        '"generation": 1}\n    say("assigned"',
        '"generation": 7}\n    say("assigned"',
        AFTER,
        r"expected the generation with which it commits, \[1\], saw assigned with \[7\]",
    ),
    "begins anew": ("int(open(kept).read())", "0 * len(kept)", GOES_ON, "expected it to be handed"),
    "is never busy, and takes what it likes": (
        '[:begin["at_once"]]\n    busy_s = told.pop("busy_s", 0.0)',
        "\n    busy_s = 0.0",
        BUSY,
        r"for the \d s that it was to be busy, saw",
    ),
    "is never busy": (
        "/ 1e6 + busy_s)",
        "/ 1e6)",
        BUSY,
        r"for the \d s that it was to be busy, saw",
    ),
}
