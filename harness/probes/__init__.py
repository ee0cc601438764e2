"""Looks at a replica from outside, without changing what it does: its files and its wire."""
