"""Terminals that people use: their own, and those of their agents, in whichever process they run."""
