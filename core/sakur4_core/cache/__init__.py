"""What is known of the model's prompt cache, and the backends that can tell."""
