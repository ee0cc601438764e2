"""Any client: nothing goes wrong with its transactions."""

from highwater.harness.clients.settings import Transactions
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_transactions import LONG, PATIENT, SHORT, any_transactions
from highwater.scenarios.acts.variants import calm

RATE_PER_S, EACH = 100, Transactions(records=50, abort_every=4)


@calm()
@any_transactions("KIP-98: Exactly Once Delivery and Transactional Messaging")
def client_transactions_undisturbed(play: Play, _partition: Partition) -> None:
    """A client that nothing happens to commits its transactions, or aborts them, as a whole.

    Then it commits all, short ones and long. The control of all scenarios of transactions, with
    the settings of each: what is violated here is no fault's doing.
    """
    topic = play.topics[0]
    with play.load(topic, RATE_PER_S, transactions=EACH, client=play.client) as load:
        load.await_acked(8 * EACH.records)
    with play.load(topic, RATE_PER_S, transactions=SHORT, client=play.client) as load:
        load.await_acked(2 * SHORT.records)
    with play.load(topic, RATE_PER_S, PATIENT, LONG, client=play.client) as load:
        load.await_acked(2 * LONG.records)
