"""Fetching pages: one request through the way out, bounded in time and size, and made readable."""
