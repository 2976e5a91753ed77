"""All SQL, and nothing but SQL."""
