"""Who runs what the server admits: this very process, or workers of their own that it looks after; and how all end."""
