"""Tools that reach the world outside; every connection is made by `workspaces/network`."""
