"""The command line. Nothing here imports a front end or the engine before it is needed."""
