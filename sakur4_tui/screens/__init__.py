"""The interface's screens."""
