"""The words and the engine: everything that plays a scenario and records it."""
