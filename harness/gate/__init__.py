"""The fetch gate: a proxy process before every broker that knows who is fetching what.

This package imports nothing by itself, so that the gate's own process starts at once; take
`GateProcess` from `.client` and the rules from `.rules`.
"""
