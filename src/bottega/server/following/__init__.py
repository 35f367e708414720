"""How much one person follows, and how many frames one sends."""
