"""Groups that left commits to their libraries, where nobody saw one: what cannot be decided."""

from __future__ import annotations

from functools import partial

import numpy as np

from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.groups import UNSEEN
from highwater.checkers.parts import Offsets
from highwater.checkers.promises import Client
from highwater.checkers.rows import changes


def undone_by_unseen(part: Offsets) -> Findings:
    """A doubt for each offset that a group was handed and did not process, and may have committed.

    Nobody can tell of one whose commits nobody saw.
    """
    found = Findings()
    for group in part.facts.unseen:
        members = part.of_clients(partial(_is_of, group.name))
        handed = np.flatnonzero(part.handed_as_committed & members)
        once = handed[changes(part["place"][handed], part["offset"][handed])]
        for number, place in enumerate(part.places):
            offset = part["offset"][once[part["place"][once] == number]]
            found.considered += int(np.count_nonzero(~group.has_processed(place, offset)))
    found.doubt(UNSEEN, found.considered)
    return found


def _is_of(group: str, client: Client) -> bool:
    return client.group == group


def doubt_unseen(found: Findings, facts: Facts, group: str, records: int) -> None:
    """Nobody can tell of what was handed again to a group whose commits nobody saw."""
    found.doubt(UNSEEN, records * any(each.name == group for each in facts.unseen))
