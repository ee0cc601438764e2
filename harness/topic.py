"""A topic of a play, and its partitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from highwater.harness.creation import add_partitions
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition, told_as
from highwater.harness.partition import Partition
from highwater.harness.sampling import Look
from highwater.harness.scene import Scene
from highwater.harness.workloads.pattern import Pattern

MANY_TIMEOUT_S = 60.0
MOST_PARTITIONS = 1_000
LONGEST_NAME = 249  # org.apache.kafka.common.internals.Topic
NAME = re.compile(f"[A-Za-z0-9._-]{{1,{LONGEST_NAME}}}")


class Topic:
    """Created by a play, for which it has a name that is new on its cluster.

    Of topics that have one name, one after the other, each is another `incarnation`.
    """

    def __init__(
        self,
        scene: Scene,
        name: str,
        placed: Sequence[Sequence[int]],
        incarnation: int = 1,
        delete: Callable[[Topic], None] | None = None,
    ) -> None:
        self.name = name
        self.incarnation = incarnation
        self.clients: list[str] = []  # that live and know it
        self.is_foreign = False  # an application sends to it, and nobody else may
        self.pattern: Pattern | None = None  # how its records look, where not as ours
        self._delete = delete
        self._is_deleted = False
        self.replicas = len(placed[0]) if placed else 0  # of each partition
        self._scene = scene
        self._partitions: tuple[Partition, ...] = ()
        self._followers: list[Callable[[], None]] = []
        self._take(placed)

    @property
    def described(self) -> str:
        """Which partitions they are, in words."""
        if len(self) == 1:
            return str(self[0].where)
        return f"the {len(self)} partitions of {self.name}"

    @property
    def told_as(self) -> str:
        """Its name in the record."""
        return told_as(self.name, self.incarnation)

    @property
    def wheres(self) -> list[TopicPartition]:
        return [partition.where for partition in self]

    def __getitem__(self, number: int) -> Partition:
        """Raises IndexError where there is no such partition."""
        return self._partitions[number]

    def __len__(self) -> int:
        return len(self._partitions)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._partitions)

    def add_partitions(self, count: int = 1) -> Sequence[Partition]:
        """Give it so many more, as an operator does while clients live; returns the new ones.

        Each is led then, and whoever is in sync serves it; a broker may be down. Loads of the topic
        send to them as well as soon as they know who leads these, and groups read them when their
        members have looked again. Raises UsageError for no number from 1 on, DeadlineError where
        they do not come up.
        """
        self._require_there()
        before, cluster = len(self), self._scene.cluster
        _require_partitions(count, MOST_PARTITIONS - before)
        placed = spread(cluster.brokers, range(before, before + count), self.replicas)
        grown = f"{self.name} is given {count} more, and has {before + count} partitions"
        self._scene.step(grown, to=self.name)
        add_partitions(cluster, self.name, before, placed)
        added = self._take(placed)
        await_each(
            self._scene, f"the new partitions of {self.name} are led", added, Partition.saw_led
        )
        for follower in self._followers:
            follower()
        return added

    def delete(self) -> None:
        """Delete it for good; `play.topic` with its name creates another one then.

        It settles before, is read to its end, and what its replicas hold is kept, as at the end of
        a play. Raises UsageError before anything happens while a client of it lives, or a broker
        with a replica of it does not run; DeadlineError where it does not settle, or is not gone.
        """
        self._require_there()
        if self._delete is None:
            raise UsageError(f"expected a topic of a play to be deleted, saw {self.name}")
        self._delete(self)

    def retire(self) -> None:
        """It is going to be deleted: nobody asks for it any more."""
        self._is_deleted = True
        for partition in self:
            partition.retire()

    def attach(self, client: str) -> None:
        """A client begins that knows it; raises UsageError where it has been deleted."""
        self._require_there()
        self.clients.append(client)

    def detach(self, client: str) -> None:
        """And has ended."""
        self.clients.remove(client)

    def require_ours(self) -> None:
        """Raises UsageError where it has been deleted, or an application sends to it: there no
        value is one of ours.
        """
        self._require_there()
        if self.is_foreign:
            raise UsageError(
                f"an application sends to {self.name}: expected nobody else to send to it, or read"
            )

    def _require_there(self) -> None:
        self._scene.require_there()
        if self._is_deleted:
            raise UsageError(f"{self.name} has been deleted; play.topic() creates it again")

    def when_grown(self, follower: Callable[[], None]) -> None:
        """Call this whenever the topic has been given partitions."""
        self._followers.append(follower)

    def _take(self, placed: Sequence[Sequence[int]]) -> Sequence[Partition]:
        added = [
            Partition(self._scene, TopicPartition(self.name, number, self.incarnation), assigned)
            for number, assigned in enumerate(placed, len(self))
        ]
        self._partitions = (*self._partitions, *added)
        return added


def require_shape(partitions: object, replicas: object, brokers: int, settings: object) -> None:
    """Raises UsageError for what no topic can be on so many brokers."""
    _require_partitions(partitions, MOST_PARTITIONS)
    if replicas is not None and (type(replicas) is not int or not 1 <= replicas <= brokers):
        raise UsageError(
            f"expected 1 to {brokers} replicas on this cluster, or None for as many as its brokers "
            f"give by default, saw {replicas!r:.120}"
        )
    if settings is None:
        return
    if not isinstance(settings, Mapping) or not all(
        isinstance(each, str) for pair in settings.items() for each in pair
    ):
        raise UsageError(
            "expected settings with names and values as strings, such as "
            f"{{'min.insync.replicas': '1'}}, saw {settings!r:.120}"
        )


def _require_partitions(count: object, most: int) -> None:
    if type(count) is not int or not 1 <= count <= most:
        raise UsageError(
            f"expected a number of partitions from 1 on, saw {count!r:.120}; a topic has "
            f"{MOST_PARTITIONS} at most, as all of them are looked at"
        )


def require_name(name: object, whole: str, taken: Sequence[str]) -> None:
    """Raises UsageError for what no topic can be called; `whole` is with the play's own name."""
    if not isinstance(name, str) or not NAME.fullmatch(whole):
        raise UsageError(
            "expected a topic's name of letters, digits, dots, dashes and underscores, at most "
            f"{LONGEST_NAME} with the play's own, saw {name!r:.120}"
        )
    if whole in taken:
        raise UsageError(f"expected a name that is new in this play, saw {name!r} again")


def require_topics(*given: object) -> None:
    """Raises UsageError for what is no topic of a play: a name, a partition, a list of topics."""
    for each in given:
        if not isinstance(each, Topic):
            raise UsageError(f"expected what play.topic() has returned, saw {each!r:.120}")


def await_each(
    scene: Scene,
    what: str,
    partitions: Iterable[Partition],
    fact: Callable[[Partition, Look], bool],
) -> None:
    """Wait until a look has shown it of each, all of them asked at once."""
    missing = {partition.where: partition for partition in partitions}

    def shown() -> bool:
        for where, seen in scene.sampler.look_at(list(missing)).items():
            if fact(missing[where], seen):
                del missing[where]
        return not missing

    scene.demand(what, shown, MANY_TIMEOUT_S, lambda: {"missing": len(missing)})


def spread(brokers: Sequence[int], numbers: Iterable[int], replicas: int) -> list[Sequence[int]]:
    """The replicas of partitions: the brokers in a circle, each partition one further on."""
    circle = [*brokers, *brokers]
    starts = [number % len(brokers) for number in numbers]
    return [circle[start : start + replicas] for start in starts]
