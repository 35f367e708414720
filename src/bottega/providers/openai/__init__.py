"""The two wire protocols of OpenAI, which half the world speaks: chat completions and responses."""
