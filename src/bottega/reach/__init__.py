"""The way to another Bottega: calls that are repeated where that is safe, and a session's facts as they come."""
