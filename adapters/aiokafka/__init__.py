"""aiokafka, in an environment of its own: its adapter is a program, and imported by nobody."""
