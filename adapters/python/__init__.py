"""What adapters in Python share: a program, which runs in the environment of an adapter."""
