"""Client libraries in any language: programs that speak docs/adapters.md's open protocol."""
