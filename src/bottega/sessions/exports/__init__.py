"""Sessions on their way out and in: as lines that can be brought back, as chat, as Markdown, as a page."""
