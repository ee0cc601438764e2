"""Writes the history of a client that speaks the protocol for adapters in any language."""
