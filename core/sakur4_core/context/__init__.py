"""What fills the model's window, what that costs, and what would leave it next."""
