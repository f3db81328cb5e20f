"""Statistics of evaluation: pure functions, each with its source."""
