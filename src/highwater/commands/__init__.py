"""The commands, a module per family: each parses and delegates, and decides nothing."""
