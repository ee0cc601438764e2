"""Leads a process group, and kills it when standard input ends: see `warden`.

A program of its own, which starts in milliseconds: it needs nothing but Python itself.
"""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)
