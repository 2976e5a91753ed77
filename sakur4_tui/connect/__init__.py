"""Connecting agents: what to write into a harness's own configuration, and how to undo it."""
