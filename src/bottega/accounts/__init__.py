"""Whose it is: people, and what proves that somebody is one of them."""
