"""A producer that was fenced asks for a higher epoch, and ends the transaction of who fenced it."""

from highwater.harness.errors import InfrastructureError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.owners_by_hand import asks_for_more, owner_of
from highwater.scenarios.acts.transactions_by_hand import await_transaction

CONCURRENT_TRANSACTIONS = 51
REFUSED = {47: "INVALID_PRODUCER_EPOCH", 90: "PRODUCER_FENCED"}


@scenario(
    source="KIP-360; KIP-98; TransactionCoordinator.prepareInitProducerIdTransit",
    claims=("lost-write", "aborted-read"),
    plays_on=">=3.0",  # DescribeTransactions
    topic_settings={"min.insync.replicas": "2"},
)
def zombie_ends_its_heir(play: Play, partition: Partition) -> None:
    """Whether a fenced producer does harm hangs on whether its heir has a transaction open.

    A producer registers anew under its transactional.id, so that its epoch before is of the past.
    Somebody with that past epoch asks for a higher one (InitProducerId, as a client does that would
    go on after an error). While no transaction is open that is refused, and nothing happens. While
    one is, the coordinator does not compare epochs: it raises the epoch, aborts the transaction of
    the producer that is in order, and tells who asked to come again. The one that is in order is
    fenced as well, and its commit is refused.

    Nothing is lost that was said to be committed; the client of who was in order has to begin anew.
    """
    with play.transactions() as producer:
        producer.begin()
        producer.send(partition.where)
        producer.commit()
        past = owner_of(play, partition, producer.name)
        producer.renew()
        heir = owner_of(play, partition, producer.name)
        partition.require("the heir has a higher epoch", heir > past, past=past, heir=heir)

        answer = asks_for_more(play, producer.name, past)
        unchanged = owner_of(play, partition, producer.name) == heir
        partition.require("it is refused", answer in REFUSED and unchanged, answer=answer)

        producer.begin()
        producer.send(partition.where)
        await_transaction(play, partition, producer.name, "Ongoing")
        answer = asks_for_more(play, producer.name, past)
        partition.require("it is told to wait", answer == CONCURRENT_TRANSACTIONS, answer=answer)
        await_transaction(play, partition, producer.name, "CompleteAbort")
        play.step("the transaction of the heir has been aborted")
        try:
            producer.commit()
        except InfrastructureError as error:
            play.step(f"its commit is refused: {error}")
        else:
            partition.require("its commit is refused", fact=False)
