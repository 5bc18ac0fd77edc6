"""Searches that climb on a score, one changed edge at a time."""
