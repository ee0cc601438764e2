"""Java: which one there is, how it runs a Kafka, and storage formatted with it."""
