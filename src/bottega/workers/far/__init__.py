"""Exchanges that another Bottega answers."""
