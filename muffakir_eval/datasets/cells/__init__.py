"""What one cell holds: text, a list, a truth value, passages."""
