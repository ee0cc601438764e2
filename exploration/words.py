"""What scenarios have for what a move does, and what has to be imported for that."""

from __future__ import annotations

FAULTS = {  # what has to be imported for which word
    "BlockLink": "block_link", "FreezeThreads": "freeze_threads", "HoldDecisions": "hold_decisions",
    "HoldIsrChange": "hold_isr_change", "KillMetadata": "kill_metadata",
    "PartitionQuorum": "partition_quorum",
    "HoldAnswers": "hold_answers", "HoldMarkers": "hold_markers",
    "HoldOrders": "hold_orders", "HoldProduce": "hold_produce", "JumpClock": "jump_clock",
    "Kill": "kill",
    "LateMarker": "late_marker", "PartitionBrokers": "partition_brokers", "Pause": "pause",
    "PowerLoss": "power_loss", "Stop": "stop", "WipeReplica": "wipe_replica",
}  # fmt: skip
WORDS = {  # of scenarios, for what a move does
    "send": "partition.request({records}{more})",
    "cut": "cut_{role} = play.inject(BlockLink({role}))",
    "mute": "mute_{role} = play.inject(HoldAnswers(None, {role}, after_records={after_records}, "
    "deliver={delivers}))",
    "deafen": "deafen_{role} = play.inject(HoldOrders({role}, play.cluster.nodes.controller))",
    "release": "play.heal({of}_{role})",
    "lead": "partition.move_leader({role})",
    "send_beside": "beside.request({records}{more})",
    "lead_beside": "beside.move_leader({role})",
    "prefer": "partition.prefer({order})",
    "shrink": "",  # the ISR is waited for
    "kill": "down_{role} = play.inject(Kill({role}))",
    "stop": "down_{role} = play.inject(Stop({role}))",
    "start": "play.heal(down_{role})",
    "pour": "# FINISH: from here on a record is sent as soon as the last one is answered",
    "idle": "# FINISH: a state to wait for; {wait_ms} ms passed here",
    "inject": "# FINISH: play.inject({fault})",
    "heal": "# FINISH: play.heal() of {fault}",
    "fail_over": "play.fail_over_controller()",
    "await": "",  # what was seen is awaited
    "lose_power": "down_{role} = play.inject(PowerLoss({role}, partition.where, 0))  # FINISH",
    "freeze": "freeze_{role} = play.inject(Pause({role}))",
    "isolate": "isolate_{role} = play.inject(PartitionBrokers(({role},), ({others})))",
    "claim": "# FINISH: from here on in a `with play.transactions() as producer_{producer}:`",
    "write": "producer_{producer}.send(partition.where)  # FINISH: begin() before the first",
    "write_late": "late_{producer} = play.inject(HoldProduce(producer_{producer}.name))\n"
    "producer_{producer}.send(partition.where, wait=False)",
    "commit_within": "# FINISH: producer {producer} commits a position of its group",
    "commit_late": "# FINISH: it commits another, which is under way until it arrives",
    "arrive": "play.heal(late_{producer})",
    "end": "producer_{producer}.{ends}()",
    "depose": "depose_{role} = play.inject(PartitionQuorum(play.await_quorum_leader()))",
    "kill_voter": "kill_voter_{role} = play.inject(KillMetadata())",
    "blind": "blind_{role} = play.inject(HoldDecisions({role}))",
    "hold_isr": "hold_isr_{role} = play.inject(HoldIsrChange({role}))",
    "commit": "# FINISH: group {group} commits its next position",
    "drop": "# FINISH: partition.move_replicas() of all but {role}",
    "assign": "# FINISH: partition.move_replicas() of all, {role} as well",
    "recreate": "# FINISH: the topic is deleted, and created under its name",
    "wipe": "play.inject(WipeReplica({role}, partition.where))",
    "jump": "jump_{role} = play.inject(JumpClock({role}, {shift_s}))",
    "engross": "engross_{role} = play.inject(FreezeThreads({role}, 'group-coordinator'))",
    "take_over": "# FINISH: another member takes group {group} over",
    "commit_as_member": "# FINISH: the member of group {group} commits its next position",
    "commit_as_former": "# FINISH: who was the member of group {group} commits what it had come to",
    "send_once": "# FINISH: idempotent producer {producer} sends {records} in one request",
    "once_late": "# FINISH: idempotent producer {producer} sends one, in a request that is late",
    "again": "# FINISH: what has no answer idempotent producer {producer} sends again",
    "once_arrives": "# FINISH: the late request of idempotent producer {producer} arrives",
    "coordinate": "coordinator_is(play, ({members}), TRANSACTIONS)",
    "withhold": "withhold_{role} = play.inject(HoldMarkers(FINISH_coordinator, {role}))",
    "delay_marker": "delay_marker_{role} = play.inject(LateMarker(FINISH_coordinator, {role}))",
}
OPENED = {name for name, words in WORDS.items() if words.startswith(f"{name}_{{role}} = ")}
OF_VOTERS = {"depose", "kill_voter"}
ACTS = {  # what has to be imported for other words
    "coordinator_is(": "from highwater.scenarios.acts.moved_coordinator import coordinator_is",
    "TRANSACTIONS)": "from highwater.faults.targets import TRANSACTIONS",
}
