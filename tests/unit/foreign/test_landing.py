"""What is to be aborted has been answered before."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.foreign.scripts import changed
from tests.unit.foreign.test_transacting import COMMIT, RECORDS, loading, outcomes, written

from highwater.adapters.foreign import transacting
from highwater.harness.wait import wait_until
from highwater.harness.workloads import payload, transactions
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.transactions import TransactionalProducer

END_S = 60  # as long as a play waits for a client that it has told to stop


def test_a_load_aborts_only_what_was_answered(tmp_path: Path) -> None:
    """As librdkafka takes the answer to an abort for fatal before that (its issue 4849)."""
    says = 'say("ok", records=[[each[0], len(pending) + n, now] for n, each in enumerate(rows)])'
    tells = f"(lock.acquire(), {says}, answered.extend(rows), lock.release())"
    later = f"Timer(0.05, lambda at=len(pending): {tells}).start()"
    refuses = (
        'lock.acquire(), lock.release()\n    if step == "abort" and len(answered) < len(pending):'
    )
    program = (
        changed(f"    if rows:\n        {says}", f"    if rows:\n        {later}")
        .replace("len(pending) + n, now", "at + n, now")
        .replace(
            "owner,", "from threading import Lock, Timer\nlock, answered = Lock(), []\nowner,", 1
        )
        .replace("**fields}), flush", '**fields}) + "\\n", end="", flush')  # by two threads
        .replace("pending.clear()", "pending.clear(), answered.clear()")
        .replace(COMMIT, f'{refuses}\n        return answer(step, "State", "close")\n    {COMMIT}')
        .replace(COMMIT, f"while len(answered) < len(pending):\n        pass\n    {COMMIT}")
    )

    with loading(tmp_path, program, [], abort_every=2) as load, load:
        load.await_acked(20)
        wait_until(lambda: load.failed >= 2 * RECORDS, "some to be aborted")

    assert {*outcomes(written(tmp_path))} == {"ok", "failed"}


def _ours(asked: list[float], monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    monkeypatch.setattr(transactions, "flush", lambda _producer, timeout_s: asked.append(timeout_s))
    settings = ProducerSettings(delivery_timeout_s=300, transaction_timeout_s=300)
    history = SimpleNamespace(promised=lambda *_names, **_promised: None, patterns={})
    producer = TransactionalProducer("127.0.0.1:1", history, payload.Values(), settings)  # type: ignore[arg-type]
    return producer.land


def _foreign(asked: list[float], monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    seconds = itertools.count()
    monkeypatch.setattr(transacting, "TICK_S", 0)
    monkeypatch.setattr(transacting, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    load: Any = object.__new__(transacting.InTransactions)
    load._talk = SimpleNamespace(is_over=False, rules=SimpleNamespace(fatal=""))
    load._transaction = SimpleNamespace(has_landed=False)
    load._teller = SimpleNamespace(look=lambda: None)

    def land() -> None:
        load._land()
        asked.append(next(seconds))

    return land


@pytest.mark.parametrize("loading_of", [_ours, _foreign])
def test_who_is_told_to_stop_has_time_to_abort_though_nothing_lands(
    loading_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And to begin anew after that, where it cannot: each of these may take half a minute."""
    asked: list[float] = []

    loading_of(asked, monkeypatch)()

    assert asked[0] < END_S / 4
