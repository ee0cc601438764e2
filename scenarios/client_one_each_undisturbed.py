"""Any client: nothing goes wrong with several requests under way, of a record each."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending
from highwater.scenarios.acts.under_way import (
    ONE_EACH,
    PATIENT_EACH,
    SLOWLY_PER_S,
    WAITING_EACH,
    one_each,
)
from highwater.scenarios.acts.variants import calm, pipelining


@calm()
@pipelining
@any_client("max.in.flight.requests.per.connection; enable.idempotence (KIP-98)")
def client_one_each_undisturbed(play: Play, partition: Partition) -> None:
    """A client that sends each record in a request of its own has each written once, in order.

    The control of those scenarios in which several requests are under way as one of them is
    refused, with their settings: what is violated here is no fault's doing.
    """
    for settings in (ONE_EACH, WAITING_EACH, PATIENT_EACH):
        with sending(play, partition, one_each(play, settings), SLOWLY_PER_S) as load:
            await_more(play, partition, load)
