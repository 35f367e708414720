"""Agents: how they are written down, found, built and chosen."""
