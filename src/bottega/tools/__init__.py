"""What it can do: tools, the registry that knows them, and the one way in which a call is made."""
