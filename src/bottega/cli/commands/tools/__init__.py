"""Commands for the tools of agents."""
