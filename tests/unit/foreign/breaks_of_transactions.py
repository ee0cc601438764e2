"""Of producers in transactions."""

from __future__ import annotations

from tests.unit.foreign.conformance_rules import ABORTS, COMMITS, FENCED, REFUSES

BREAKS_OF_TRANSACTIONS = {
    "never registers": (
        'owner = register(sys.argv[1] + "." + begin["settings"]["transactional.id"])',
        'say("fatal", text="no"); time.sleep(1)',
        COMMITS,
        "expected begin to be answered without an error|answer begin",
    ),
    "answers no step": ("    answer(step)\n", "    pass\n", COMMITS, "the adapter to answer begin"),
    "commits nothing": ("each in pending)", "each in [])", COMMITS, "said to be committed to be"),
    "commits half": ("each in pending)", "each in pending[::2])", COMMITS, "to be committed to be"),
    "commits what it aborts": (
        'if step == "commit":',
        'if step != "begin":',
        ABORTS,
        "expected no record of a transaction that was not committed, saw 20",
    ),
    "cannot abort": (
        "    answer(step)\n",
        '    answer(step, *(("No", "close") if step == "abort" else ()))\n',
        ABORTS,
        "expected abort to be answered without an error, saw .*'error': 'No'",
    ),
    "commits without what failed": (
        'step == "commit" and failed',
        "False",
        REFUSES,
        "expected commit to be answered by an error, saw none",
    ),
    "gives up": (
        '"Failed", "abort"',
        '"Failed", "close"',
        REFUSES,
        "expected commit to demand 'abort' where a record was too large, saw",
    ),
    "is not fenced": (
        "open(owner).read() != me",
        "False",
        FENCED,
        "expected commit to be answered by an error, saw none",
    ),
    "answers twice": (
        "    answer(step)\n",
        "    answer(step); answer(step)\n",
        COMMITS,
        "one answer to each step, which is .* now, saw one to 'begin'",
    ),
    "answers another step": (
        "    answer(step)\n",
        '    answer("abort")\n',
        COMMITS,
        "one answer to each step, which is 'begin' now, saw one to 'abort'",
    ),
    "demands of nothing": (
        "    answer(step)\n",
        '    answer(step, None, "retry")\n',
        COMMITS,
        "demands of a step that has an error, and of no other, saw error None and demands 'retry'",
    ),
    "demands nothing": (
        '"Fenced", "close"',
        '"Fenced"',
        FENCED,
        "of a step that has an error, and of no other, saw error 'Fenced' and demands None",
    ),
    "commits without a word of its records": (
        'say("ok", records=[[each[0], len(pending) + n, now] for n, each in enumerate(rows)])',
        "pass",
        COMMITS,
        "an outcome of each record before commit is answered, saw 20 records without one",
    ),
    "another time of a step": (
        'say("transaction", step=step, at_ns=time.monotonic_ns()',
        'say("transaction", step=step, at_ns=1',
        COMMITS,
        "between what it tells of and now, saw .* before it was asked for",
    ),
}
