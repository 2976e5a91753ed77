-- episode_window begins with the same columns: a second index only made each commit dearer.
DROP INDEX episode_by_session;
