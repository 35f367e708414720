"""The server seen from outside: is it alive, what does it count, what does it log, where do its traces go.

One way: everything here reads what the others do, and nothing that runs waits for it or fails because of it.
"""
