"""Models that judge: one seam, the official SDKs behind it, and replies that are validated whole."""
