"""Everything Docker."""
