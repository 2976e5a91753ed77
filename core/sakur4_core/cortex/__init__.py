"""The Repo Cortex."""
