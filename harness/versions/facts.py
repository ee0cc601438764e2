"""What a release of Kafka does, in one mode: this is the one place that compares version numbers.

Everything else asks a `Kafka` for a fact.
"""

from __future__ import annotations

from highwater.harness.versions.numbers import in_range, release_of


class Facts:
    """Of a version and a mode, which a subclass has."""

    __slots__ = ()

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def version(self) -> str:
        raise NotImplementedError

    @property
    def kraft(self) -> bool:
        raise NotImplementedError

    @property
    def has_named_listeners(self) -> bool:
        """KIP-103: before, a broker has one listener per protocol, for peers and clients alike."""
        return self.at_least("0.10.2")

    @property
    def elects_uncleanly_by_default(self) -> bool:
        """unclean.leader.election.enable was true by itself until 0.11 (KIP-106)."""
        return not self.at_least("0.11")

    @property
    def list_offsets_version(self) -> int:
        """ListOffsets v1 came with 0.10.1; 4.0 dropped v0 (KIP-896)."""
        return 1 if self.at_least("0.10.1") else 0

    @property
    def join_group_version(self) -> int:
        """JoinGroup v2 came with 0.11, v1 with 0.10.1; 4.0 dropped both older ones (KIP-896)."""
        return 2 if self.at_least("0.11") else int(self.at_least("0.10.1"))

    @property
    def create_topics_version(self) -> int:
        """CreateTopics v2 came with 0.11; 4.0 dropped the older ones (KIP-896)."""
        return 2 if self.at_least("0.11") else 0

    @property
    def knows_idempotence(self) -> bool:
        """Producer ids and sequence numbers (KIP-98)."""
        return self.at_least("0.11")

    @property
    def has_record_batches(self) -> bool:
        """Message format v2, and the requests that carry it (KIP-98)."""
        return self.at_least("0.11")

    @property
    def orders_five_in_flight(self) -> bool:
        """Of an idempotent producer: brokers know its last five batches again (KAFKA-5494)."""
        return self.at_least("1.0")

    @property
    def knows_static_members(self) -> bool:
        """A member of a group may have a group.instance.id (KIP-345)."""
        return self.at_least("2.3")

    @property
    def assigns_partitions(self) -> bool:
        """Coordinators deal the partitions of groups out themselves (KIP-848)."""
        return self.kraft and self.at_least("4.0")

    @property
    def answers_while_it_reads(self) -> bool:
        """A coordinator takes the end of an older reading of its log for that of a newer one.

        No ticket was found: docs/findings/kafka-answers-before-it-has-read.md.
        """
        return self.kraft and self.at_least("4.0")

    @property
    def knows_share_groups(self) -> bool:
        """Share groups (KIP-932) are on by themselves: in 4.1 they were a preview."""
        return self.kraft and self.at_least("4.2")

    @property
    def followers_answer_consumers(self) -> bool:
        """Fetch v11 reads any replica (KIP-392); before that, replica id -2 does."""
        return self.at_least("2.4")

    @property
    def describes_transactions(self) -> bool:
        """Coordinators tell what state a transaction is in (KIP-664)."""
        return self.at_least("3.0")

    @property
    def metadata_version(self) -> int:
        """Metadata v7 tells the leader epoch (KIP-320)."""
        return 7 if self.at_least("2.1") else 1

    @property
    def java_validates_positions(self) -> bool:
        """A consumer of its own jars commits leader epochs, and asks where they ended (KIP-320).

        Brokers answer that from 2.1 on; clients that ask came with 2.3.
        """
        return self.at_least("2.3")

    @property
    def keeps_what_a_move_began(self) -> bool:
        """A move that is taken back leaves what its target has begun (KIP-570, KAFKA-13972)."""
        return not self.kraft and in_range(self.version, ">=2.6,<3.4.1")

    @property
    def tells_eligible_leaders(self) -> bool:
        """DescribeTopicPartitions tells the eligible leader replicas (KIP-966)."""
        return self.kraft and self.at_least("4.0")

    @property
    def leaders_ask_for_the_isr(self) -> bool:
        """A leader asks the controller for another ISR (KIP-497), and writes none itself."""
        return self.at_least("2.7")

    @property
    def orders_brokers(self) -> bool:
        """A controller tells each broker who leads what (LeaderAndIsr): with ZooKeeper alone."""
        return not self.kraft

    @property
    def hears_heartbeats(self) -> bool:
        """A broker tells the controller again and again that it is there: with KRaft (KIP-631)."""
        return self.kraft

    @property
    def hears_of_disks(self) -> bool:
        """A broker tells the controller where a replica is: with KRaft, from 3.7 on (KIP-858)."""
        return self.kraft and self.at_least("3.7")

    @property
    def leaders_forget_to_ask(self) -> bool:
        """An answer that is late may have one forget what it wants to ask next (KAFKA-12686)."""
        return self.leaders_ask_for_the_isr and not self.at_least("3.0")

    @property
    def migrates(self) -> bool:
        """Its brokers can leave ZooKeeper for KRaft (KIP-866): from 3.6 on for production."""
        return not self.kraft and self.at_least("3.6")

    @property
    def voters_tell_addresses(self) -> bool:
        """A KRaft leader tells the other voters where it is found (KIP-853)."""
        return self.kraft and self.at_least("3.9")

    def at_least(self, release: str) -> bool:
        return release_of(self.version) >= release_of(release)
