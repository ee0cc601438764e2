"""`python -m highwater.harness.gate`: the gate's own process."""

from highwater.harness.gate.server import main

main()
