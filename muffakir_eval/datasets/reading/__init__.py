"""Readers: one module per format, each from a source to a table of raw cells."""
