"""Highwater: see, on real brokers, when Apache Kafka loses or forks data."""
