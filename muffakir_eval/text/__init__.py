"""Text: what it says once spelling, script and layout no longer matter."""
