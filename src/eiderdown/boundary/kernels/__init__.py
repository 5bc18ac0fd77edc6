"""Compiled twins of searches."""
