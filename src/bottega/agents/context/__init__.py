"""How full a model's window is, and what leaves it when it is too full. Pure: no database, no clock."""
