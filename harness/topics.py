"""The topics of a play: created one after the other, and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

from highwater.harness.creation import create_topic
from highwater.harness.deletion import delete_topic
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition, told_as
from highwater.harness.partition import Partition
from highwater.harness.probes.wire import AnswerError
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic, await_each, require_name, require_shape, spread
from highwater.harness.workloads.pattern import Pattern, require_pattern

LEAST = "min.insync.replicas"


class Follower(Protocol):
    """A group that reads every topic with this prefix.

    It is told of a name before there is such a topic, and by `take_on` when it is there, or by
    `give_up` that there will be none.
    """

    @property
    def prefix(self) -> str: ...

    def expect(self, name: str) -> None: ...

    def take_on(self, topic: Topic) -> None: ...

    def give_up(self, name: str) -> None: ...


class Topics:
    """`named` is what they are called: the first one just so, others so and their own name."""

    def __init__(self, scene: Scene, named: str) -> None:
        self.there: list[Topic] = []  # in the order of their creation
        self.names: list[str] = []  # of all that there have been
        self.followers: list[Follower] = []
        self._scene = scene
        self._named = named

    def create(
        self,
        name: str,
        partitions: int,
        replicas: int | None,
        settings: Mapping[str, str] | None,
        pattern: Pattern | None = None,
    ) -> Topic:
        """See `Play.topic`."""
        cluster, whole = self._scene.cluster, f"{self._named}-{name}" if name else self._named
        require_pattern(pattern, cluster.kafka)
        require_shape(partitions, replicas, len(cluster.brokers), settings)
        require_name(name, whole, [each.name for each in self.there])
        self._require_plain(whole, pattern)
        least = cluster.spec.settings.get(LEAST, str(min(2, replicas or 1)))
        chosen = {LEAST: least, **(settings or {})}
        placed = spread(cluster.brokers, range(partitions), replicas or 0)
        self._name(whole)
        followers = self._followers_of(whole)
        for each in followers:  # their members may be assigned it before anybody else sees it
            each.expect(whole)
        try:
            create_topic(cluster, whole, placed, chosen)
        except (AnswerError, UsageError):  # it was refused
            for each in followers:
                each.give_up(whole)
            raise
        except BaseException:
            self._keep(whole, placed, chosen)  # it may be there all the same
            raise
        if replicas is None:
            placed = self._given(whole, partitions)
        made = self._keep(whole, placed, chosen)
        self._look(made, pattern)
        self._await_created(made)
        return made

    def beginning_with(self, prefix: object) -> tuple[str, Sequence[Topic]]:
        """The prefix with the play's own name, and the topics of the play that have it.

        Raises UsageError for what no topic's name begins with.
        """
        whole, own = f"{self._named}-{prefix}", f"{self._named}-"
        found = [each for each in self.there if each.name.startswith(whole)]
        if not isinstance(prefix, str) or not prefix or not found:
            names = [
                each.name.removeprefix(own) for each in self.there if each.name.startswith(own)
            ]
            raise UsageError(
                "expected what the name of a topic begins with, of "
                f"{', '.join(names) or 'none, for none has a name'}, saw {prefix!r:.120}"
            )
        return whole, found

    def _followers_of(self, whole: str) -> Sequence[Follower]:
        return [each for each in self.followers if whole.startswith(each.prefix)]

    def _require_plain(self, whole: str, pattern: Pattern | None) -> None:
        """Raises UsageError for what members are to know before they read it, and cannot."""
        if self._followers_of(whole) and (pattern is not None or whole in self.names):
            raise UsageError(
                f"a group reads every topic that begins as {whole} does: expected one without a "
                "pattern, and the first of its name"
            )

    def _look(self, made: Topic, pattern: Pattern | None) -> None:
        """From now on its records look like this."""
        made.pattern, patterns = pattern, self._scene.record.history.patterns
        if pattern is None and made.name in patterns:
            patterns[made.name] = None  # clients that knew the one before are told so
        elif pattern is not None:
            patterns[made.name] = pattern.described()
            self._scene.note(f"records of {made.name} are known by their {pattern.identity}")

    def _given(self, whole: str, partitions: int) -> list[Sequence[int]]:
        """The replicas that somebody else has chosen."""
        wheres = [TopicPartition(whole, number) for number in range(partitions)]
        found = self._scene.cluster.metadata.partitions(wheres)
        placed = [found[where].replicas for where in wheres]
        told = ", ".join(str(len(each)) for each in dict.fromkeys(placed))
        self._scene.note(f"brokers have given {whole} so many replicas: {told}")
        return [*placed]

    def _name(self, whole: str) -> None:
        """Before it is there: what is heard of it from then on is of no other topic."""
        if whole in self.names:
            told = told_as(whole, self._incarnation(whole))
            self._scene.step(f"{whole} is created again; from now on it is {told} in this record")
            self._scene.record.names(whole, told)

    def _incarnation(self, whole: str) -> int:
        return self.names.count(whole) + 1

    def _keep(
        self, whole: str, placed: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> Topic:
        made = Topic(self._scene, whole, placed, self._incarnation(whole), self._delete)
        self.names.append(whole)
        self._scene.record.topic(made.told_as, settings)
        self.there.append(made)
        for each in self._followers_of(whole):
            each.take_on(made)
        return made

    def _await_created(self, topic: Topic) -> None:
        """Wait for all partitions at once where there are several."""
        if len(topic) == 1:
            topic[0].await_created()
            return
        what = f"{topic.described} are on every replica, and led by the first of each"
        await_each(self._scene, what, topic, Partition.saw_created)

    def _delete(self, topic: Topic) -> None:
        delete_topic(self._scene, topic, partial(self.there.remove, topic))
