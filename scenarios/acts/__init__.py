"""Acts that several scenarios begin with; each asserts what it has come to."""
