"""confluent-kafka of any version, in an environment of its own: a program, imported by nobody."""
