"""Which Kafkas there are, and how their jars get here."""
