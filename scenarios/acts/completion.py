"""Whether a transaction that has been decided is completed, as its coordinator tells."""

from highwater.harness.errors import DeadlineError
from highwater.harness.play import Play
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.transactions_by_hand import state_of

COMPLETE = frozenset({"CompleteCommit", "CompleteAbort"})


def becomes_complete(play: Play, name: str, timeout_s: float) -> bool:
    """Wait until it is; False: it never was."""
    what = f"the transaction of {name} is complete"
    try:
        wait_until(lambda: state_of(play, name) in COMPLETE, what, timeout_s)
    except DeadlineError:
        return False
    return True
