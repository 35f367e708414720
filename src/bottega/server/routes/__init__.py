"""One file a noun. A route translates: parse, call one function, render."""
