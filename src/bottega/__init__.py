"""Bottega: a workshop where people and LLM agents work on real projects."""
