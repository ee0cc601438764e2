"""One file per claim; a file that defines `CLAIM` is in the catalogue, nothing else to edit."""
