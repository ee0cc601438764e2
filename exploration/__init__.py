"""Schedules: what may go wrong in which order, as data; chosen by chance, played again, shrunk."""
