"""What an application sends by itself: whatever it was told is acknowledged is to be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from highwater.harness.clients.contract_rows import HANDED_OVER, ContractRows, identities_of
from highwater.harness.clients.terms import AT_LEAST, AT_MOST, EXACTLY, Terms
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic

ACKED, OTHERS = 0, 1  # partitions, where there is no topic: what is due, and what may be there
Read = Callable[[], Iterable[object]]


class OwnSends:
    """A contract without a topic of inputs; the play records it when all is read to its end."""

    def __init__(self, rows: ContractRows, into: Topic, terms: Terms) -> None:
        self.name = rows.name
        self._rows = rows
        self._into, self._terms = into, terms
        self._acked: Sequence[str | None] | None = None
        self._others: Sequence[str | None] | None = None

    def hand_over(self, acked: Read, begun: Read | None = None) -> None:
        """The identities of what was acknowledged to it, and of all that it has begun to send.

        Both are called once, now, and it is to send nothing more. What it has begun to send and was
        not told of may be there or not. Where nobody says what it has begun nobody can say of a
        record too many, or of another one, whether it was sent: that is UNKNOWN, where it is asked.
        Raises UsageError for something acknowledged that it has not begun to send.
        """
        if self._acked is not None:
            raise UsageError(f"expected {self.name} to hand over once what it has sent")
        found = identities_of(acked)
        if begun is not None:
            left = Counter(identities_of(begun))
            left.subtract(found)
            strange = [each for each, count in left.items() if count < 0]
            if strange:
                raise UsageError(
                    f"expected {self.name} to begin to send what is acknowledged to it before, saw "
                    f"{strange[0]!r} acknowledged more often (and {len(strange) - 1} others)"
                )
            self._others = [*left.elements()]
        self._acked = found
        told = "" if self._others is None else f", and {len(self._others)} others"
        self._rows.scene.step(f"{len(found)} acknowledged to {self.name} are handed over{told}")

    def record(self) -> None:
        """Read what is there, and write down what the judge is to know.

        Raises PreconditionError where nothing was handed over.
        """
        if self._acked is None:
            raise PreconditionError(f"expected what {self.name} has sent handed over, saw nothing")
        rows = [*self._rows.outputs(self._into, self._terms.identity)]
        demand = {"each": self._terms.each}
        rows += self._rows.given(self._acked, ACKED, demand)
        rows += self._rows.done({TopicPartition(HANDED_OVER, ACKED): len(self._acked)})
        if self._others is not None:
            rows += self._rows.given(self._others, OTHERS, demand)
            for partition, each in ((ACKED, self._acked), (OTHERS, self._others)):
                rows.append(self._rows.given_to_the_end(len(each), partition))
        self._rows.keep(rows, {})


def require_own(terms: Terms) -> None:
    """Raises UsageError for terms of what nobody is given."""
    if terms.each == AT_MOST:
        raise UsageError(
            f"what was acknowledged is to be there: expected each to be {EXACTLY!r} or "
            f"{AT_LEAST!r}, saw {AT_MOST!r}"
        )
    if terms.group or terms.keeps or terms.of_inputs is not None:
        raise UsageError(
            "what an application sends by itself has no group, no key and no order to be kept: "
            f"expected Terms of each and identity alone, saw {terms!r:.200}"
        )
    Terms(each=terms.each, identity=terms.identity, group="none").require(handed_over=False)
