"""The members of a group of any kind: who is replaced, who joins, and who leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from highwater.harness.clients.grouping import with_seat
from highwater.harness.clients.names import refuse_group
from highwater.harness.clients.seated import Seated
from highwater.harness.errors import UsageError
from highwater.harness.lifetime import Lifetime

SeatedT = TypeVar("SeatedT", bound=Seated)


class Seats(Lifetime, Generic[SeatedT]):
    """All that a group has had, for the length of a `with`; `make` makes another by its order."""

    def __init__(
        self,
        group: str,
        members: Sequence[SeatedT],
        make: Callable[[Mapping[str, Any]], SeatedT],
    ) -> None:
        super().__init__()
        self.members = tuple(members)
        self._group = group
        self._make = make
        self._is_open = False
        self._replaced: list[SeatedT] = []

    def _begin(self) -> None:
        self._is_open = True
        self._ending.callback(setattr, self, "_is_open", False)
        for member in self.members:
            self._enter(member)

    def _enter(self, member: SeatedT) -> None:
        self._ending.enter_context(member)
        self._ending.callback(self._say_stopping)

    def _say_stopping(self) -> None:
        """Before the first one ends: what others are given then is a matter of the end."""
        for member in self.members:
            member.say_stopping()

    def require_open(self) -> None:
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self._group}, saw it outside")

    @property
    def living(self) -> Sequence[SeatedT]:
        return [each for each in self.members if not each.is_killed and not each.has_left]

    @property
    def running(self) -> Sequence[SeatedT]:
        """Those that are not frozen either."""
        return [each for each in self.members if each.runs]

    def replace(self, member: SeatedT) -> SeatedT:
        """Another process in the place of a member that was killed.

        Raises UsageError for a member that lives, is none of the group's, or has been replaced.
        """
        self.require_open()
        if member not in self.members or not member.is_killed or member in self._replaced:
            again = ", which has been replaced" if member in self._replaced else ""
            raise UsageError(
                f"expected a member of {self._group} that was killed, saw {_named(member)}{again}"
            )
        self._replaced.append(member)
        return self.seat(member.order)

    def join(self) -> SeatedT:
        """One more, told to do what the others do; raises UsageError for more than there can be."""
        self.require_open()
        refuse_group(self._group, len(self.living) + 1)
        seats = {member.order["seat"] for member in self.members}
        if not (left := [each.order for each in self.members if not each.has_left]):
            raise UsageError(f"expected a member of {self._group} that has not left, saw none")
        order = left[0]
        return self.seat(with_seat(order, f"{self._group}-{len(seats) + 1}"))

    def leave(self, member: SeatedT) -> None:
        """Have it stop in order.

        Raises UsageError for a member that is gone or frozen, none of the group's, or the last one
        that is neither.
        """
        self.require_open()
        if member not in self.running or len(self.running) == 1:
            why = self._why_it_stays(member) if member in self.living else ""
            raise UsageError(
                f"expected a member of {self._group} that lives, saw {_named(member)}{why}"
            )
        member.leave()

    def _why_it_stays(self, member: SeatedT) -> str:
        if member.is_paused:
            return ", which is frozen"
        return f", which is the last one{' that is not frozen' * (len(self.living) > 1)}"

    def require_static(self, member: SeatedT) -> None:
        """Raises UsageError for one that is not static, does not live, or is somebody else's."""
        self.require_open()
        if member not in self.living or not member.order["settings"]["static"]:
            raise UsageError(
                f"expected a static member of {self._group} that lives, saw {_named(member)}"
            )

    def seat(self, order: Mapping[str, Any]) -> SeatedT:
        """A process of this order, which has begun."""
        other = self._make(order)
        self._enter(other)
        self.members = (*self.members, other)
        return other

    def are_well(self) -> bool:
        """Raises what `is_well` of a member does."""
        return all(member.is_well() for member in self.members)


def _named(member: object) -> str:
    return f"{member.name if isinstance(member, Seated) else repr(member):.120}"
