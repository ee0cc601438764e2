"""Things that go wrong, one file each."""
