"""Compiled code of the tests: tails, contingency tables, subset searches, cached results."""
