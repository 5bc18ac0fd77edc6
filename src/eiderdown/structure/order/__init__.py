"""Searches among orders of the columns."""
