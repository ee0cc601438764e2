"""Small changes of an adapter, each of which breaks a rule: which one, and what is seen of it."""

from __future__ import annotations

from tests.unit.foreign.breaks_of_headers import BREAKS_OF_HEADERS
from tests.unit.foreign.breaks_of_members import BREAKS_OF_MEMBERS
from tests.unit.foreign.breaks_of_producers import BREAKS_OF_PRODUCERS
from tests.unit.foreign.breaks_of_settings import BREAKS_OF_SETTINGS
from tests.unit.foreign.breaks_of_transactions import BREAKS_OF_TRANSACTIONS

BREAKS = {
    **BREAKS_OF_PRODUCERS,
    **BREAKS_OF_SETTINGS,
    **BREAKS_OF_MEMBERS,
    **BREAKS_OF_HEADERS,
    **BREAKS_OF_TRANSACTIONS,
}
