"""Who decides: the loop that turns a history into requests, answers into tool calls, and knows when to stop."""
