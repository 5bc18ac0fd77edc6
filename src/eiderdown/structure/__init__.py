"""Searches for whole networks and for regions around a variable: functions of tests and scores."""
