"""Readers of agents' own transcripts."""
