"""Prediction under manipulation: causes and effects around a target, and what they leave to use."""

from eiderdown.manipulation.blanket import Caution, blanket_under, confounded, observed_boundary
from eiderdown.manipulation.engine import Engine, SearchWay, engine_for, region_columns, within
from eiderdown.manipulation.orientation import Combined, Runs, combine, thesis_parents
from eiderdown.manipulation.y_structures import YTests

__all__ = [
    "Caution",
    "Combined",
    "Engine",
    "Runs",
    "SearchWay",
    "YTests",
    "blanket_under",
    "combine",
    "confounded",
    "engine_for",
    "observed_boundary",
    "region_columns",
    "thesis_parents",
    "within",
]
