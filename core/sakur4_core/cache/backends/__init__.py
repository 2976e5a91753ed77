"""Inference backends: each says what it can do, and is never assumed to be there."""
