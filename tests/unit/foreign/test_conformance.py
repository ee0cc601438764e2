"""Each rule of the protocol has a small adapter that breaks it, and is caught by that rule."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from tests.unit.foreign.scripts import KEEPS, changed, command, ground

from highwater.harness.errors import DeadlineError
from highwater.harness.foreign import conformance, conformance_of_members, talk
from highwater.harness.foreign import ground as ground_of
from highwater.harness.foreign.conformance import Conformance
from highwater.harness.wait import wait_until

HELLO, READY, PRODUCE, ODD, FLUSH, PARTITION, LARGE, END = range(8)
HANDED, AFTER, BEFORE, GOES_ON = range(8, 12)
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
}
BREAKS |= BREAKS_OF_MEMBERS


HOLDS = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(12)"])
"""


def test_an_output_that_somebody_else_holds_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_soon(monkeypatch)

    with pytest.raises(DeadlineError, match="end with its standard input") as told:
        talk.describe(command(HOLDS + KEEPS, tmp_path / "log"))

    assert any("holds its output open" in each for each in told.value.__notes__)
    readers = [each for each in threading.enumerate() if each.name == "adapter"]
    wait_until(lambda: not any(each.is_alive() for each in readers), "the holder to end", 60)


WAITED_FOR = {
    "silent",
    "stays",
    "not ready",
    "deaf",
    "no answer",
    "no flush",
    "waits on",
    "never ready",
    "skips",
}


def give_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """On what never comes; a busy machine takes seconds to start a program."""
    for module in (ground_of, talk):
        monkeypatch.setattr(module, "START_TIMEOUT_S", 4.0)
    for module in (conformance, conformance_of_members, ground_of):
        monkeypatch.setattr(module, "TIMEOUT_S", 4.0)
    monkeypatch.setattr(talk, "END_TIMEOUT_S", 0.2)


def test_an_adapter_that_keeps_every_rule_is_found_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()

    found = list(Conformance(command(KEEPS, log), ground(log)).findings())

    assert [each.wrong for each in found] == [""] * 12


@pytest.mark.parametrize("name", BREAKS)
def test_an_adapter_that_breaks_a_rule_is_caught_by_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, rule, why = BREAKS[name]
    if name in WAITED_FOR:
        give_up_soon(monkeypatch)

    log = tmp_path / "log"
    log.touch()

    found = enumerate(Conformance(command(changed(old, new), log), ground(log)).findings())
    first = next((number, each.wrong) for number, each in found if each.wrong)

    assert first[0] == rule, first
    assert re.search(why, first[1])
