"""Repositories in a workspace: what of them makes git run a program, as it was before and as it is after."""
