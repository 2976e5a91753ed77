"""One module a subject. Each names its commands in ``COMMANDS``."""
