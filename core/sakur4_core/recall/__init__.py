"""Recall: the best evidence for a query, with the reasons."""
