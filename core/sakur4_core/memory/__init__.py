"""What was said, what parsers saw, what was summarised, what was pinned."""
