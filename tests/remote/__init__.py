"""Agents behind another Bottega's address, answering in sessions here: between real processes."""
