"""confluent-kafka: writes what it sends and is handed straight into the record's history."""
