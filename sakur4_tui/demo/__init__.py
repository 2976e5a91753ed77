"""The demo: a sample project, a recorded session, and the replay of one on the other."""
