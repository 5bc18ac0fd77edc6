"""Prediction under manipulation: causes and effects around a target, and what they leave to use."""

from eiderdown.manipulation.blanket import Caution, blanket_under, confounded, observed_boundary
from eiderdown.manipulation.y_structures import YTests

__all__ = ["Caution", "YTests", "blanket_under", "confounded", "observed_boundary"]
