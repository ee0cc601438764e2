"""The catalogue: one file per scenario, found by walking this folder."""
