"""Clients that live in processes of their own while things go wrong; what they are told and say."""
