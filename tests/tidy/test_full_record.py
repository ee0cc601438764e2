"""The record with everything in it, which long tests change in one place each, has everything."""

from __future__ import annotations

import pytest
from tests.checkers.paths import FULL

from highwater.checkers import catalogue
from highwater.checkers.claim import Claim

HAS = {table for table, _ in FULL}


@pytest.mark.parametrize("claim", catalogue.claims(), ids=lambda claim: claim.name)
def test_it_has_every_table_that_a_claim_reads(claim: Claim) -> None:
    assert {*claim.needs, *claim.uses} <= HAS
