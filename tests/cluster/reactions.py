"""What clients do about an error that a broker answers, seen by their application and the gate."""

from __future__ import annotations

import itertools
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from tests.reactions_page import Row

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.creation import create_topic
from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.jvm.java import find_java
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.versions.catalogue import every_kafka
from highwater.harness.versions.jars import jars_named

PROGRAMS = Path(__file__).parent / "programs"
API_NAMES = {key: name for name, key in NAMED.items()}
# What a client asks for besides, and what that makes of its reaction; the first one seen counts.
HELPED = {
    "JoinGroup": "rejoins",
    "InitProducerId": "restarts",
    "FindCoordinator": "finds",
    "ListOffsets": "resets",
    "Metadata": "refreshes",
}
LONGEST_S = 60.0  # above what either client waits for by itself
DELIVERED_S = 25.0
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Observed:
    """`reaction` is a word of reactions_page.WORDS; the rest says why."""

    reaction: str
    told: str
    after: str
    asked: Sequence[str]  # since the error, by name
    got: Sequence[str]


class Program:
    """A program of tests/cluster/programs that plays a story after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._said: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)
        self._said.put("")

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self, timeout_s: float = LONGEST_S) -> list[str]:
        """The next line, in words; none where nothing is said for so long."""
        try:
            line = self._said.get(timeout=timeout_s)
        except queue.Empty:
            return []
        assert line, "the program has ended; its own words are above"
        return line.split()


@contextmanager
def program(client: str, classes: Path) -> Iterator[Program]:
    line = _java(classes) if client == "java" else [sys.executable, str(PROGRAMS / "reactions.py")]
    process = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        yield Program(process)
    finally:
        process.terminate()
        process.communicate()


def _java(classes: Path) -> list[str]:
    jars = jars_named(every_kafka()[-1], ["kafka-clients", "slf4j-api"])
    java, path = Path(find_java().path), ":".join(map(str, jars))
    source = str(PROGRAMS / "Reactions.java")
    compiler = str(java.with_name("javac"))
    subprocess.run([compiler, "-nowarn", "-d", str(classes), "-cp", path, source], check=True)
    return [str(java), "-Xmx256m", "-cp", f"{classes}:{path}", "Reactions"]


def observe(cluster: KafkaCluster, running: Program, row: Row) -> Observed:
    """Play one row; its topic, its group and its client are called alike."""
    name, bootstrap = f"row-{next(_numbers)}", cluster.client_bootstrap
    create_topic(cluster, name, [cluster.brokers], {"min.insync.replicas": "1"})
    is_member = row.story.endswith("member")
    if is_member:
        _produce(bootstrap, name, "first")
    watched = cluster.gate.add(Rule(Match("request", client_id=name), Action("watch")))
    running.say(f"{row.story} {row.api} {bootstrap} {name}")
    got = _heard_until(running, "ready")
    fault = AnswerRequests(
        row.api, row.error, client=name, often=Trigger("once"), done=row.api == "Metadata"
    )
    with fault.inject(cluster) as answered:
        running.say("go")
        refused = answered.await_answered()
        if is_member:
            _produce(bootstrap, name, "second")
            got += _heard_until(running, "got", "second", timeout_s=DELIVERED_S)
            running.say("stop")
        *more, (_, kind, told, after) = _heard_until(running, "done")
    asked = [API_NAMES[each["api"]] for each in watched.events() if _is_later(each, refused)]
    watched.remove()
    reaction = kind if kind != "none" else _unheard(row.api, asked)
    return Observed(
        reaction, told, after, asked, [each[1] for each in (*got, *more) if each[0] == "got"]
    )


def _heard_until(
    running: Program, *words: str, timeout_s: float = LONGEST_S
) -> list[Sequence[str]]:
    """What is said until this, or until nothing is said any more."""
    heard: list[Sequence[str]] = []
    while not heard or heard[-1][: len(words)] != list(words):
        said = running.hear(timeout_s)
        assert said or words[0] == "got", f"not heard: {words}; heard {heard}"
        if not said:
            break
        heard.append(said)
    return heard


def _is_later(seen: Mapping[str, Any], refused: Mapping[str, Any]) -> bool:
    """Whether it was asked after the request that was answered with the error."""
    frames = ((each["connection"], each["correlation_id"]) for each in (seen, refused))
    is_same = len(set(frames)) == 1
    return seen["seq"] > refused["seq"] and seen["api"] in API_NAMES and not is_same


def _unheard(api: str, asked: Sequence[str]) -> str:
    """What was asked before the same was asked again."""
    again = asked.index(api) if api in asked else len(asked)
    besides = {*asked[:again]} - {api}
    words = [word for name, word in HELPED.items() if name in besides]
    return words[0] if words else "retries" if api in asked else "ignores"


def _produce(bootstrap: str, topic: str, value: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "client.id": "beside"})
    producer.produce(topic, value, partition=0)
    assert producer.flush(20) == 0
