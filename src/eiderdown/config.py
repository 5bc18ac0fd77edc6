"""Thresholds, each with the reason for its value. None of them changes at run time."""

from __future__ import annotations

from typing import Final

MAX_INTEGER_CATEGORIES: Final = 20
"""An integer column with at most this many distinct values is taken as discrete."""

MAX_CATEGORIES: Final = 65_536
"""No discrete column may have more categories; beyond this it is an identifier or a measurement."""

MIN_ROWS_FOR_CATEGORY_CHECK: Final = 20
"""In a table with fewer rows, a text column with a category per row is no surprise."""

MAX_PLANE_CATEGORIES: Final = 16
"""Columns with more categories get no bit planes: a scatter over codes is always cheaper."""
