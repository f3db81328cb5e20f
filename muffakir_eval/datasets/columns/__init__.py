"""Which column of a file is which field of a sample."""
