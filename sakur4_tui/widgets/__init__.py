"""The interface's widgets."""
