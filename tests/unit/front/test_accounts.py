"""What is said of a test that raised, when the judge has spoken as well."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.account import Account, inconclusive
from highwater.harness.errors import PreconditionError, UsageError
from highwater.pytest_plugin.accounts import account_of

ITEM: Any = SimpleNamespace(path=Path(__file__), nodeid="test_x.py::test_x")
LOST = Account(
    outcome="failed",
    reason="violated: lost-write",
    text="violated: lost-write\nthe record: runs/1",
    violated=[{"claim": "lost-write"}],
)
HELD = Account(outcome="passed")
UNCLEAR = inconclusive("no quorum", "the record: runs/1")


def raised(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error  # so that it has a line
    return caught.value


@pytest.mark.parametrize("judged", [HELD, UNCLEAR, None], ids=["held", "unclear", "not played"])
def test_an_assertion_of_the_tests_own_fails_it_and_is_shown_as_pytest_shows_it(
    judged: Account | None,
) -> None:
    account = account_of(raised(AssertionError("3 == 4\nmore")), judged, ITEM)

    assert account == Account(outcome="failed", reason="AssertionError: 3 == 4")


def test_a_violated_claim_is_told_beside_an_assertion() -> None:
    error = raised(AssertionError("3 == 4"))

    account = account_of(error, LOST, ITEM)

    assert (account.outcome, account.reason) == (
        "failed", "violated: lost-write; AssertionError: 3 == 4",
    )  # fmt: skip
    assert account.violated == LOST.violated
    assert (account.text, error.__notes__) == ("", [LOST.text])


def test_a_violated_claim_outranks_a_state_that_did_not_come() -> None:
    account = account_of(raised(PreconditionError("no leader")), LOST, ITEM)

    assert (account.outcome, account.reason) == ("failed", "violated: lost-write")
    assert account.text.startswith(f"{LOST.text}\nthe test stopped at test_accounts.py:")
    assert account.text.endswith("by PreconditionError: no leader")


def test_a_state_that_did_not_come_proves_nothing() -> None:
    account = account_of(raised(PreconditionError("no leader")), UNCLEAR, ITEM)

    assert (account.outcome, account.reason) == ("inconclusive", "no quorum")
    assert account.text.startswith("inconclusive: no quorum\nthe record: runs/1\nthe test stopped")


def test_a_mistake_in_the_test_is_no_lack_of_evidence() -> None:
    account = account_of(raised(UsageError("no broker 7")), UNCLEAR, ITEM)

    assert (account.outcome, account.reason) == ("failed", "UsageError: no broker 7")
    assert account.text.startswith("no broker 7\nat test_accounts.py:")
