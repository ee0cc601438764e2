"""A group that is dealt anew, because a member of it is gone."""

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.hold_asked import HoldAsked
from highwater.harness.clients.group import Group
from highwater.harness.clients.member import Member
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.settled_group import await_settled

SOON_S = 2.0  # a session of six seconds, and a heartbeat every three, end no sooner


def asked_for_a_place(
    play: Play, partition: Partition, billing: Group, member: Member
) -> AtTheGate:
    """Kill the other one of two; returns when what `member` asks for, a place, stands at the gate.

    That is its JoinGroup for the next generation, which begins as the other one's session ends.
    """
    await_settled(partition, billing)
    place = play.inject(HoldAsked("JoinGroup", member.name, Trigger("once")))
    (idle,) = [each for each in billing.members if each is not member]
    idle.kill()
    killed_ns = play.record.now_ns()
    play.await_standing([place])
    waited_s = (play.record.now_ns() - killed_ns) / 1e9
    partition.require("it is the other's end that it is asked to join for", waited_s > SOON_S)
    return place
