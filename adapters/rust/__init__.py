"""What adapters in Rust share; of Python is only what completes a lock."""
