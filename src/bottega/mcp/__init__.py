"""Tools of others: MCP servers that the user set up, run in sandboxes or reached over HTTP.

Nothing here imports the SDK at import time: it takes a second, and who has no server never pays for it (`sdk`).
"""
