"""How a change of files is worked out: their text, patches on it, and what to say where one does not fit."""
