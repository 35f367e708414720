"""The way to a provider over HTTP: connections, tries, server-sent events, and failures said in sentences."""
