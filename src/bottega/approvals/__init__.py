"""May it: modes, rules and verdicts. Pure: what a call would touch goes in, a verdict comes out."""
