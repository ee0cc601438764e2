"""Who leads what: read it, create it and move it, in ZooKeeper's znodes or by KRaft's apis."""
