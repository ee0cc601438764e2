"""The embedded backend: brokers, and ZooKeeper or KRaft controllers, as local JVMs."""
