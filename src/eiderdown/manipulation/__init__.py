"""Prediction under manipulation: causes and effects around a target, and what they leave to use."""
