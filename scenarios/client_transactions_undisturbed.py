"""Any client: nothing goes wrong with its transactions."""

from highwater.harness.clients.settings import Transactions
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_transactions import any_transactions

RATE_PER_S, EACH = 100, Transactions(records=50, abort_every=4)


@any_transactions("KIP-98: Exactly Once Delivery and Transactional Messaging")
def client_transactions_undisturbed(play: Play, _partition: Partition) -> None:
    """A client that nothing happens to commits its transactions, or aborts them, as a whole.

    The control of all scenarios of transactions: what is violated here is no fault's doing.
    """
    with play.load(play.topics[0], RATE_PER_S, transactions=EACH, client=play.client) as load:
        load.await_acked(8 * EACH.records)
