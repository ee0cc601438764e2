"""What is to be aborted has been answered before."""

from __future__ import annotations

from pathlib import Path

from tests.unit.foreign.scripts import changed
from tests.unit.foreign.test_transacting import COMMIT, RECORDS, loading, outcomes, written

from highwater.harness.wait import wait_until


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
