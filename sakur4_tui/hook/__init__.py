"""Answers to the hooks of harnesses. Nothing here waits, and nothing here fails the harness."""
