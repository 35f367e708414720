"""What a model is told: a system prompt that stays the same to the byte, and asides for all that changes. Pure."""
