"""A load that was killed or stopped goes on in another process, and counts on."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching, Topic
from tests.unit.clients.orders import Orders

from highwater.adapters.confluent.transacting import InTransactions
from highwater.adapters.dialogue import Dialogue
from highwater.adapters.pace import Due, Teller
from highwater.harness.clients.crew import Crew
from highwater.harness.clients.load import Load
from highwater.harness.clients.process import Event, Launch
from highwater.harness.clients.settings import Transactions
from highwater.harness.errors import InfrastructureError, PreconditionError, UsageError
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.tally import Tally


def progress(acked: int, failed: int, gap_s: float) -> str:
    told = {"acked": acked, "failed": failed, "unknown": 1, "longest_gap_s": gap_s}
    return (
        READY + f"say({json.dumps(json.dumps({'event': 'progress', **told, 'gap_since_ns': 9}))}); "
    )


class Programs:
    """What each process of a load is, and what each was told that the first one was not."""

    def __init__(self, launching: Launching, *programs: str) -> None:
        self._launching = launching
        self._programs = list(programs)
        self.more: Mapping[str, Any] = {}  # of the order of each
        self.told: list[Mapping[str, Any]] = []
        self.heard: list[tuple[str, str]] = []

    def launch(self, more: Mapping[str, Any]) -> Launch:
        self.told.append(more)
        number = len(self.told)
        launch = self._launching(self._programs[number - 1], f"load-{number}")
        return replace(launch, order={**launch.order, **self.more})

    def hear(self, name: str, event: Event) -> None:
        self.heard.append((name, event["event"]))

    def load(self) -> Load:
        return Load(self.launch, self.hear, Orders((0, 1, 2)))


def test_a_load_that_was_killed_is_started_again_and_counts_on(launching: Launching) -> None:
    programs = Programs(launching, progress(7, 2, 0.5) + ENDED, progress(5, 0, 3.0) + ENDED)

    with programs.load() as load:
        load.await_acked(7 - load.acked)
        load.kill()
        with pytest.raises(PreconditionError, match="it was killed"):
            load.await_acked(1)
        load.start()
        load.await_acked(12 - load.acked)
        assert load.name == "load-2"

    assert (load.acked, load.failed, load.longest_gap_s) == (12, 4, 3.0)
    assert [each for each in programs.heard if each[1] != "progress"] == [
        ("load-1", "ready"),
        ("load-1", "killed"),
        ("load-2", "ready"),
        ("load-2", "stopping"),
        ("load-2", "ended"),
    ]
    again = {"follows": "load-1", "transactional_id": "load-1", "gap_since_ns": 9}
    where = {"topic": "orders", "incarnations": {}, "partitions": 3}
    assert programs.told == [{}, {**again, **where}]


def test_a_process_that_is_killed_before_it_tells_anything_ends_no_gap(
    launching: Launching,
) -> None:
    """Else nobody would see that nothing was acknowledged while one after the other died."""
    programs = Programs(launching, progress(7, 2, 0.5) + ENDED, READY + ENDED, READY + ENDED)

    with programs.load() as load:
        load.await_acked(7 - load.acked)
        load.kill()
        load.start()
        load.kill()
        load.start()

    assert [more.get("gap_since_ns") for more in programs.told] == [None, 9, 9]


def test_a_gap_begins_when_the_first_process_does(launching: Launching) -> None:
    programs = Programs(launching, READY + ENDED, READY + ENDED)

    before_ns = time.monotonic_ns()
    with programs.load() as load:
        load.kill()
        after_ns = time.monotonic_ns()
        load.start()

    assert before_ns < programs.told[1]["gap_since_ns"] < after_ns


def test_a_restart_stops_a_load_in_order_each_time(launching: Launching) -> None:
    programs = Programs(launching, *[READY + ENDED] * 3)

    with programs.load() as load:
        load.restart()
        load.restart()

    told = [each for each in programs.heard if each[0] == "load-1"]
    assert [what for _, what in told] == ["ready", "leaving", "ended"]
    assert [more.get("follows") for more in programs.told] == [None, "load-1", "load-2"]
    assert [more.get("transactional_id") for more in programs.told] == [None, "load-1", "load-1"]


def test_what_lives_or_is_over_is_not_started(launching: Launching) -> None:
    programs = Programs(launching, *[READY + ENDED] * 2)
    load = programs.load()

    with pytest.raises(UsageError, match="within the `with` of load-1, saw it outside"):
        load.start()
    with load:
        with pytest.raises(UsageError, match="load-1 to have been killed or stopped, saw it alive"):
            load.start()
        load.stop()
        with pytest.raises(UsageError, match="load-1 to live when it leaves"):
            load.restart()
        load.start()
    with pytest.raises(UsageError, match="within the `with` of load-2, saw it outside"):
        load.start()
    assert len(programs.told) == 2


def test_each_process_of_a_load_has_a_name_and_identities_of_its_own(crew: Crew) -> None:
    load = crew.load(Topic("orders"), 50, ProducerSettings(size_bytes=99), Transactions())
    other = crew.load(Topic("orders"), 50, ProducerSettings())
    again = load._launching({"follows": load.name, "partitions": 4}).order

    first = load._sender.process._launch.order
    assert [load.name, other.name] == ["load-orders", "load-orders.2"]
    assert again["client"] == "load-orders.3"
    assert first["first_value"] < other._sender.process._launch.order["first_value"]
    assert again["first_value"] > other._sender.process._launch.order["first_value"]
    assert again["record"]["number"] > first["record"]["number"]
    alike = ("settings", "transactions", "rate_per_s", "topic", "role")
    assert [again[name] for name in alike] == [first[name] for name in alike]
    assert (first["partitions"], again["partitions"]) == (1, 4)


def test_the_timeline_says_in_whose_place_a_load_is(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    since: list[int | None] = []

    def event(_kind: str, text: str, **data: Any) -> None:
        told.append(text)
        since.append(data.get("gap_since_ns"))

    monkeypatch.setattr(crew._scene.record, "event", event, raising=False)
    monkeypatch.setattr(crew._scene.record, "origin_ns", 1_000)
    load = crew.load(Topic("orders"), 50, ProducerSettings())
    load._launching({"follows": load.name, "gap_since_ns": 1_700})

    for client in ("load-orders", "load-orders.2"):
        crew._hear(client, {"event": "ready"})

    assert told == ["load-orders: started", "load-orders.2: started in the place of load-orders"]
    assert since == [None, 700]  # by the record's clock


def test_the_time_between_two_processes_is_part_of_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns, tally, said = iter([7_000_000_000, 8_000_000_000]), Tally(acked=3), io.StringIO()
    teller = Teller({"gap_since_ns": 5_000_000_000}, Dialogue(io.StringIO(), said), tally)
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(now_ns))

    teller.look()
    teller.look()
    teller.tell()

    told = json.loads(said.getvalue().splitlines()[-1])
    assert told["longest_gap_s"] == 2.0
    assert told["gap_since_ns"] == 7_000_000_000


def test_a_load_in_transactions_is_taken_over_while_it_lives(launching: Launching) -> None:
    yields = """assert '"yield"' in sys.stdin.readline(); """
    programs = Programs(launching, progress(7, 2, 0.5) + yields + ENDED, progress(5, 0, 3) + ENDED)
    programs.more = {"transactions": {"records": 10, "abort_every": None}}

    with programs.load() as load:
        load.await_acked(7 - load.acked)
        assert load.take_over().name == "load-1"
        load.await_acked(12 - load.acked)
        assert load.name == "load-2"

    assert (load.acked, load.failed) == (12, 4)
    ended = [who for who, what in programs.heard if what == "ended"]
    assert sorted(ended) == ["load-1", "load-2"]
    assert programs.told[1]["transactional_id"] == "load-1"


def test_a_load_without_transactions_or_a_life_is_not_taken_over(launching: Launching) -> None:
    plain = Programs(launching, READY + ENDED)
    with plain.load() as load, pytest.raises(UsageError, match="with transactions, saw load-1"):
        load.take_over()

    gone = Programs(launching, READY + ENDED)
    gone.more = {"transactions": {"records": 10, "abort_every": None}}
    with gone.load() as load:
        load.kill()
        with pytest.raises(UsageError, match="to live when it is taken over, saw it gone"):
            load.take_over()


class Fenced:
    """A producer of which each transaction ends so, and that can be made anew once."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self.renewed = 0

    def begin(self) -> None:
        raise InfrastructureError("this instance has been fenced by a newer instance")

    def renew(self) -> None:
        self.renewed += 1
        self._stopping.set()


@pytest.mark.parametrize("yields", [True, False])
def test_who_was_taken_over_does_not_fence_the_other_one_by_beginning_anew(yields: bool) -> None:
    dialogue = Dialogue(io.StringIO('{"do": "yield"}\n' if yields else ""), io.StringIO())
    dialogue._listen()
    dialogue.stopping.clear()
    producer, teller = Fenced(dialogue.stopping), Teller({}, dialogue, Tally())
    spread: Any = [0]
    load = InTransactions(producer, spread, teller, records=1, abort_every=None)  # type: ignore[arg-type]

    with pytest.raises(InfrastructureError, match="fenced") if yields else nullcontext():
        load.send(Due(None))

    assert producer.renewed == (not yields)


class Steps:
    """A producer that tells what it was asked for, and lets its second transaction be the last."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self.asked: list[str] = []

    def hand_over(self, _where: object, _count: int, _due_ns: object) -> None:
        self.asked.append("send")

    def poll(self, _timeout_s: float) -> None:
        """Nothing has arrived."""

    def __getattr__(self, step: str) -> Callable[[], None]:
        def asked() -> None:
            self.asked.append(step)
            if step == "abort":
                self._stopping.set()

        return asked


class OnePlace(list[None]):
    """Where all is sent."""

    def __init__(self) -> None:
        super().__init__([None])

    def next(self) -> None:
        return None


def test_what_is_to_be_aborted_has_landed_before() -> None:
    """Aborted at once, librdkafka may end its producer, and nothing of it ever was in the log."""
    dialogue = Dialogue(io.StringIO(), io.StringIO())
    producer, teller = Steps(dialogue.stopping), Teller({}, dialogue, Tally())
    load = InTransactions(producer, OnePlace(), teller, records=1, abort_every=2)  # type: ignore[arg-type]

    load.send(Due(None))

    assert producer.asked == ["begin", "send", "settle", "begin", "send", "land", "abort"]
