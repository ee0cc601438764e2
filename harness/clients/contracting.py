"""What applications of a play are held to: refused, or made, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from highwater.harness.clients.contract import Contract
from highwater.harness.clients.contract_rows import ContractRows, Ends
from highwater.harness.clients.own_sends import OwnSends, require_own
from highwater.harness.clients.terms import Terms
from highwater.harness.errors import UsageError
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic, require_topics
from highwater.harness.wait import wait_until


class Contracting:
    """Makes contracts; `made` has all of them, in their order."""

    def __init__(self, scene: Scene, ends: Ends) -> None:
        self.made: list[Contract | OwnSends] = []
        self._scene = scene
        self._ends = ends
        self._counts: dict[str, int] = {}  # of contracts, by the names of applications
        self._senders: dict[str, str] = {}  # who sends, by topics

    def contract(
        self,
        application: str,
        topics: tuple[Topic, Topic | None],
        terms: Terms,
        is_well: Callable[[], bool],
    ) -> Contract:
        """See `Application.contract`."""
        inputs, into = topics
        _require_terms(terms)
        terms.require(handed_over=into is None)
        known = [inputs] if into is None else [inputs, into]
        require_topics(*known)
        if into is not None and into.name == inputs.name:
            raise UsageError(f"expected another topic of outputs, saw {into.name} twice")
        rows = self._rows(application, known, into)
        made = Contract(rows, topics, terms, is_well)
        self.made.append(made)
        return made

    def own_sends(self, application: str, into: Topic, terms: Terms) -> OwnSends:
        """See `Application.sends_to`."""
        _require_terms(terms)
        require_own(terms)
        require_topics(into)
        if into.is_foreign:
            raise UsageError(f"expected nobody to be held to what is in {into.name} already")
        made = OwnSends(self._rows(application, [into], into), into, terms)
        self.made.append(made)
        return made

    def _rows(self, application: str, known: Sequence[Topic], into: Topic | None) -> ContractRows:
        if into is not None:
            self._give_away(into, application)
        count = self._counts[application] = self._counts.get(application, 0) + 1
        name = application if count == 1 else f"{application}#{count}"
        for topic in known:
            topic.attach(f"the contract {name}")
        return ContractRows(name, self._scene, self._ends)

    def _give_away(self, topic: Topic, application: str) -> None:
        """Raises UsageError where something has been sent to it before, or somebody knows it."""
        if topic.is_foreign:
            if self._senders[topic.told_as] != application:
                raise UsageError(
                    f"expected one application to send to {topic.name}, saw {application} beside "
                    f"{self._senders[topic.told_as]}"
                )
            return
        if topic.pattern is not None:
            raise UsageError(f"expected outputs in a topic without a Pattern, saw {topic.name}")
        if topic.clients:
            known = ", ".join(topic.clients)
            raise UsageError(f"expected a topic of outputs that no client knows, saw {known}")
        ends = wait_until(lambda: self._ends(topic.wheres), f"the ends of {topic.name}")
        if any(ends.values()):
            raise UsageError(f"expected outputs in a topic that is empty, saw {topic.name} is not")
        topic.is_foreign, self._senders[topic.told_as] = True, application
        self._scene.foreign.add(topic.told_as)


def _require_terms(terms: object) -> None:
    if not isinstance(terms, Terms):
        raise UsageError(f"expected Terms, saw {terms!r:.120}")
