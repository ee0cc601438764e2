"""Any client: nothing goes wrong while it flushes."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_flushing import TOGETHER, any_flushing
from highwater.scenarios.acts.sending import sending
from highwater.scenarios.acts.under_way import SLOWLY_PER_S
from highwater.scenarios.acts.variants import calm


@calm()
@any_flushing("Javadoc of KafkaProducer.flush")
def client_flushes_undisturbed(play: Play, partition: Partition) -> None:
    """A client that is told to flush says that it has when all that it was handed is written.

    It gathers records for two seconds, and is told to flush when it has some. The control of
    client-flushes: what is violated here is no fault's doing.
    """
    with sending(play, partition, TOGETHER, SLOWLY_PER_S) as load:
        load.flush()
        play.step(f"{load.name} says that it has flushed")
