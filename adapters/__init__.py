"""Programs that are clients of Kafka in processes of their own: a folder for each library."""
