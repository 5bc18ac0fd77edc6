"""Searches that restrict edges by tests, and climb on a score among those that are left."""
