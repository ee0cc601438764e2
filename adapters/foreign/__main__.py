"""`python -m highwater.adapters.foreign`: is told on standard input whose history to write."""

from __future__ import annotations

import signal
import sys

from highwater.adapters.dialogue import Dialogue
from highwater.adapters.foreign.writing import write_down
from highwater.harness.errors import HighwaterError, in_words


def main() -> None:
    """Does so until it is told to stop, or nobody is there to tell it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the harness, which tells us
    dialogue = Dialogue(sys.stdin, sys.stdout)
    if (order := dialogue.first()) is None:
        return
    dialogue.listen()
    try:
        write_down(order, dialogue)
    except HighwaterError as error:
        sys.exit(in_words(error))  # into the client's log, whose end the harness shows
    dialogue.say("ended")


if __name__ == "__main__":
    main()
