"""`python -m highwater.adapters.confluent`: is told on standard input what client it is."""

from __future__ import annotations

import gc
import signal
import sys

from highwater.adapters.confluent.consuming import consume
from highwater.adapters.confluent.piping import pipe
from highwater.adapters.confluent.producing import produce
from highwater.adapters.confluent.sharing import share
from highwater.adapters.confluent.stepping import take_steps
from highwater.adapters.dialogue import Dialogue
from highwater.harness.probes.security import Security, secure
from highwater.harness.workloads.reaching import addresses_of

ROLES = {"producer": produce, "member": consume, "pipe": pipe, "sharer": share, "steps": take_steps}


def main() -> None:
    """Does what the first line says until it is told to stop, or nobody is there to tell it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the harness, which tells us
    dialogue = Dialogue(sys.stdin, sys.stdout)
    if (order := dialogue.first()) is None:
        return
    if "security" in order:
        secure(addresses_of(order["bootstrap"]), Security(**order["security"]))
    dialogue.listen()
    gc.freeze()  # garbage is collected often, for messages are many: not among modules
    ROLES[order["role"]](order, dialogue)
    dialogue.say("ended")


if __name__ == "__main__":
    main()
