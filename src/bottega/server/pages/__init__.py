"""Plain pages, until the studio is there: signing in, what this is, and every route in words."""
