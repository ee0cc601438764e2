"""An office is handed over: who had it answers no more, and who has it does."""

from highwater.harness.partition import Partition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import AnswerError


def await_handed_over(
    partition: Partition, group: str, old: ReplicaProbe, new: ReplicaProbe
) -> None:
    """Wait until the old coordinator answers no more for a group, and the new one has read of it.

    A broker that has lost the office answers from memory until it hears of that.
    """

    def answers(coordinator: ReplicaProbe) -> bool:
        try:
            return coordinator.group_position(group, partition.where) is not None
        except AnswerError:
            return False

    partition.await_state(
        f"the new coordinator answers for {group}, and the old one does not",
        lambda: answers(new) and not answers(old),
    )
