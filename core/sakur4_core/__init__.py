"""The engine of sakur4: a coding agent's memory, code index and context window, kept true."""

__version__ = "0.1.0"
