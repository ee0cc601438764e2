"""Every message of Kafka's protocol, read and written by Kafka's own descriptions of them."""
