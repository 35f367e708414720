"""Sessions, prompts, asks and events over HTTP."""
