"""Any client: its connection is gone, and it has not been told."""

from highwater.faults.half_close_client import HalfCloseClient
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import IMPATIENT, REQUEST_TIMEOUT_S, await_held, sending
from highwater.scenarios.acts.variants import calm


@calm("client-impatient-undisturbed")
@any_client("request.timeout.ms; a half-open connection (RFC 9293, 3.5.1)")
def client_half_closed(play: Play, partition: Partition) -> None:
    """A client whose connection is open at its own end alone finds that out, and loses nothing.

    A broker's end of the connection closes as a request comes, and the request is gone. No answer
    and no end comes to the client: nothing but the time that it waits tells it that something is
    wrong.
    """
    with sending(play, partition, IMPATIENT) as load:
        half = play.inject(HalfCloseClient(load.name, Trigger("once")))
        play.await_standing([half])
        await_held(play, partition, 2 * REQUEST_TIMEOUT_S)
        play.heal(half)
