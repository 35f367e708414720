"""Runs of a server: who carries them out, what becomes of them when a process dies or ends."""
