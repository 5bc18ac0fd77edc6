"""Prediction under manipulation: causes and effects around a target, and what they leave to use."""

from eiderdown.manipulation.blanket import Caution, blanket_under, confounded, observed_boundary

__all__ = ["Caution", "blanket_under", "confounded", "observed_boundary"]
