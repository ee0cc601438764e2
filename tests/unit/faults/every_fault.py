"""One of each fault, for a cluster of three brokers and one that is down."""

from __future__ import annotations

from typing import Any

from tests.fake_client import Lively

from highwater.faults.aimed import Aimed
from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.block_link import BlockLink
from highwater.faults.cut_tail import CutTail
from highwater.faults.delay_link import DelayLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.flip_bit import FlipBit
from highwater.faults.freeze_threads import FreezeThreads
from highwater.faults.full_disk import FullDisk
from highwater.faults.half_close import HalfClose
from highwater.faults.half_close_client import HalfCloseClient
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_disk_change import HoldDiskChange
from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.hold_produce import HoldProduce
from highwater.faults.hold_requests import HoldRequests
from highwater.faults.in_sequence import InSequence
from highwater.faults.isolate import Isolate
from highwater.faults.jump_clock import JumpClock
from highwater.faults.kill import Kill
from highwater.faults.kill_client import KillClient
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.kill_unnoticed import KillUnnoticed
from highwater.faults.late_marker import LateMarker
from highwater.faults.late_marker_answers import LateMarkerAnswers
from highwater.faults.limit_cpu import LimitCpu
from highwater.faults.limit_link import LimitLink
from highwater.faults.lose_disk import LoseDisk
from highwater.faults.mislead import Mislead
from highwater.faults.partition_bridge import PartitionBridge
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.partition_one_way import PartitionOneWay
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.faults.partition_ring import PartitionRing
from highwater.faults.pause import Pause
from highwater.faults.pause_client import PauseClient
from highwater.faults.pause_metadata import PauseMetadata
from highwater.faults.power_loss import PowerLoss
from highwater.faults.read_only_directory import ReadOnlyDirectory
from highwater.faults.repeat import Repeat
from highwater.faults.replace_disk import ReplaceDisk
from highwater.faults.reset_link import ResetLink
from highwater.faults.rewrite_checkpoint import RewriteCheckpoint
from highwater.faults.stall_answers import StallAnswers
from highwater.faults.stall_asked import StallAsked
from highwater.faults.stop import Stop
from highwater.faults.targets import Leader
from highwater.faults.tear_batch import TearBatch
from highwater.faults.together import Together
from highwater.faults.watch_epochs import WatchEpochs
from highwater.faults.watch_fetches import WatchFetches
from highwater.faults.watch_isr_change import WatchIsrChange
from highwater.faults.watch_orders import WatchOrders
from highwater.faults.watch_produce import WatchProduce
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.cluster import Fault
from highwater.harness.model import TopicPartition

WHERE = TopicPartition("orders")
DEAD = 4

FAULTS: list[Fault[Any]] = [
    Aimed(Leader(WHERE), Kill),
    AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER"),
    BlockLink(2, 1),
    CutTail(DEAD, WHERE, 1),
    DelayLink(2, 1),
    DelayRequests(1, 2),
    Disconnect(2),
    ExpireSession(2),
    FlipBit(DEAD, WHERE, 0),
    FreezeThreads(2, "ReplicaFetcherThread"),
    FullDisk(2, WHERE),
    HalfClose(2, 1),
    HalfCloseClient("producer-1"),
    HoldAcknowledgements("producer-1"),
    HoldAnswers(1, 2),
    HoldAsked("OffsetCommit", "member-1"),
    HoldDecisions(2),
    HoldDiskChange(1),
    HoldHeartbeats(1),
    HoldIsrChange(1),
    HoldMarkers(1, 2),
    HoldOrders(2, 100),
    HoldProduce("producer-1"),
    HoldRequests(1, 2, WHERE),
    InSequence((Stop(2), Kill(3))),
    Isolate(2),
    JumpClock(2, 0),
    Kill(2),
    KillClient(Lively()),
    KillMetadata(),
    KillUnnoticed(2),
    LateMarker(1, 2),
    LateMarkerAnswers(1, 2),
    LimitCpu(2),
    LimitLink(2, 1),
    LoseDisk(2),
    Mislead("producer-1", 2),
    PartitionBridge((1,), 2, (3,)),
    PartitionBrokers((1, 2), (3,)),
    PartitionOneWay((1,), (2, 3)),
    PartitionQuorum(101),
    PartitionRing((1, 2, 3, 4)),
    Pause(2),
    PauseClient(Lively()),
    PauseMetadata(),
    PowerLoss(2, WHERE, 1),
    ReadOnlyDirectory(2, WHERE),
    Repeat(Kill(2), 2),
    ReplaceDisk(DEAD),
    ResetLink(2, 1),
    RewriteCheckpoint(DEAD, "meta.properties"),
    StallAnswers(1, 2),
    StallAsked("Produce", "producer-1"),
    Stop(2),
    TearBatch(DEAD, WHERE, 0),
    Together((Pause(2), BlockLink(3, 1), Kill(1))),
    WatchEpochs(2),
    WatchFetches(WHERE),
    WatchIsrChange(1),
    WatchOrders(2),
    WatchProduce("producer-1"),
    WipeReplica(DEAD, WHERE),
]
