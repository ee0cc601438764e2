"""One file per way of using Kafka; the only Kafka clients."""
