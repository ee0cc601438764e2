"""Small changes of an adapter, each of which breaks a rule: which one, and what is seen of it."""

from __future__ import annotations

HELLO, READY, PRODUCE, ODD, FLUSH, PARTITION, LARGE, END = range(8)
HANDED, AFTER, BEFORE, GOES_ON, BUSY = range(8, 13)
COMMITS, ABORTS, REFUSES, FENCED = range(13, 17)
OK = 'say("ok", records=[[each[0], at + n, now_ns] for n, each in enumerate(rows)])'

BREAKS = {
    "silent": ("hello()\nline", "line", HELLO, "for the adapter to say hello"),
    "no JSON": ("hello()\nline", "print('hi')\nline", HELLO, "a line of JSON, saw the line 'hi'"),
    "no event": ("hello()\nline", "print('[]')\nline", HELLO, "an object with an 'event'"),
    "unknown": ("hello()\nline", "say('hey')\nline", HELLO, "an event of hello, ready"),
    "twice": ("hello()\nline", "hello(); hello()\nline", HELLO, "hello once, as the first line"),
    "protocol": ("protocol=1", "protocol=2", HELLO, "protocol of hello to be 1, saw 2"),
    "lacks": (', version="1"', "", HELLO, "hello with version: a name"),
    "abilities": ('"compression": []', '"compression": 1', HELLO, "lists of names"),
    "role": ('["producer", "member"]', '["consumer"]', HELLO, "role 'producer'"),
    "its clock": (
        'clock="monotonic"',
        'clock="sundial"',
        HELLO,
        "clock of hello to be 'monotonic'",
    ),
    "late clock": (
        "        at_ns=time.monotonic_ns(), cap",
        "        at_ns=time.monotonic_ns() + 10**12, cap",
        HELLO,
        "between what it tells of and now, saw .* after its line was read",
    ),
    "early clock": (
        "now_ns = time.monotonic_ns()",
        "now_ns = 1",
        PRODUCE,
        "before it was asked for",
    ),
    "stays": (
        "line = sys.stdin.readline()",
        "line = sys.stdin.readline()\nwhile not line: time.sleep(1)",
        HELLO,
        "end with its standard input",
    ),
    "says more": ('\nsay("ended")', '\nsay("ended"); say("ended")', HELLO, "nothing after ended"),
    "does not say": (
        '\nsay("ended")',
        "",
        HELLO,
        r"ended as its last line, saw it gone \(exit code 0",
    ),
    "not ready": ('    say("ready")\n', "", READY, "say that it is ready"),
    "ready twice": ('    say("ready")\n', '    say("ready"); say("ready")\n', READY, "ready once"),
    "ends at once": (
        '    say("ready")\n',
        '    say("ready"); say("ended")\n',
        READY,
        "ended after stop",
    ),
    "deaf": (
        '"stop":\n            break',
        '"stop":\n            continue',
        READY,
        "for the adapter to end",
    ),
    "no answer": (OK, "pass", PRODUCE, "tell all outcomes"),
    "two answers": (OK, f"{OK}; {OK}", PRODUCE, "one outcome of each record"),
    "another id": ("[[each[0], at", "[[each[0] + 10**7, at", PRODUCE, "one outcome of each record"),
    "no list": (
        OK,
        "say('ok', records=7)",
        PRODUCE,
        r"a list of \[id, offset or null, at_ns\], saw 7",
    ),
    "offset": ("at + n, now_ns", "at + n + 1, now_ns", PRODUCE, "at offset|an offset below"),
    "no offset": ("at + n, now_ns", "None, now_ns", PRODUCE, "expected an offset below"),
    "loses": ("for _, record in rows:", "for _, record in rows[1:]:", PRODUCE, "at offset"),
    "keys": ("[key, value]))", "[None, value]))", ODD, "at offset"),
    "texts": (
        "[key, value]))",
        "[key, value.encode('ascii', 'ignore').decode()]))",
        ODD,
        "at offset",
    ),
    "no flush": (
        '            say("flushed", at_ns=time.monotonic_ns())',
        "            pass",
        FLUSH,
        "say that it has flushed",
    ),
    "flushes early": (
        "            send(told)",
        "            import threading; threading.Timer(0.3, send, [told]).start()",
        FLUSH,
        "500 outcomes before flushed, saw 0",
    ),
    "flushes often": (
        '            say("flushed"',
        '            say("flushed", at_ns=time.monotonic_ns()); say("flushed"',
        FLUSH,
        "flushed once",
    ),
    "anywhere": ('told["partition"] > 0', "False", PARTITION, "expected an error, saw it ack"),
    "no name": (
        'say("error", error=error,',
        'say("error", error="",',
        PARTITION,
        "error of error to be a name",
    ),
    "no code": ("code=None, ret", "code='x', ret", PARTITION, "a number or null, saw 'x'"),
    "each twice": (
        'log.write(json.dumps(record) + "\\n")',
        'log.write((json.dumps(record) + "\\n") * 2)',
        PRODUCE,
        "expected the 500 records that it was told, each once and in that order, saw 1000",
    ),
    "backwards": (
        "for _, record in rows:",
        "for _, record in rows[::-1]:",
        PRODUCE,
        "at offset 0 another one than was told",
    ),
    "never sent": (
        "for _, record in rows:",
        "for _, record in rows if told['first'] < 2_000_000 else []:",
        FLUSH,
        "expected the 1005 records that it was told, .* saw 505 in the topic",
    ),
    "any size": ("len(value) > 1_000_000", "False", LARGE, "expected an error, saw it ack"),
    "waits on": (
        '\nsay("ended")',
        '\nif line and told["do"] != "stop": time.sleep(60)\nsay("ended")',
        END,
        "for the adapter to end",
    ),
}

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
    "assigned twice": (ASSIGNED, f"{ASSIGNED}; {ASSIGNED}", HANDED, "that it does not hold"),
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
        "processed of what it was handed, .* saw it of 0 to",
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
        "expected commit up to .* saw 0",
    ),
    "only says so": ("file.write(str(end))", "file.write('0')", AFTER, "its group has committed"),
    "commits late": (
        'if begin["commits"] == "before":\n        commit(kept, end)',
        "pass",
        BEFORE,
        "expected commit up to",
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
BREAKS |= BREAKS_OF_MEMBERS
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
}
BREAKS |= BREAKS_OF_TRANSACTIONS
