"""The numbers of Pena, Kocka & Nielsen (2004), section 4: false positives, negatives, table 1."""

from __future__ import annotations

SHARES = (1, 2, 5, 10, 25, 50, 100)  # per cent of the rows

Errors = tuple[int, int]
"""False positives and false negatives."""

ALARM_FEATURES = {"edges": 46, "paths": 196, "boundaries": 65}
ALARM_ERRORS: dict[tuple[str, float], Errors] = {
    ("edges", 0.45): (1, 1),
    ("edges", 0.95): (0, 17),
    ("paths", 0.6): (1, 10),
    ("boundaries", 0.7): (0, 3),
}

# Edges, directed paths and neighbours in the best models, by share of the rows (table 1).
LEUKAEMIA_FEATURES: dict[str, dict[int, tuple[int, int, int]]] = {
    "ALL": {
        1: (46, 0, 46),
        2: (46, 19, 47),
        5: (53, 194, 60),
        10: (84, 538, 113),
        25: (91, 519, 123),
        50: (102, 600, 145),
        100: (133, 736, 206),
    },
    "AML": {
        1: (23, 0, 23),
        2: (24, 0, 24),
        5: (19, 0, 20),
        10: (35, 105, 43),
        25: (47, 186, 59),
        50: (38, 151, 49),
        100: (60, 170, 83),
    },
}
LEUKAEMIA_ERRORS: dict[str, dict[tuple[str, float], Errors]] = {
    "ALL": {("edges", 0.55): (21, 34), ("paths", 0.8): (27, 126), ("boundaries", 0.8): (10, 33)},
    "AML": {("edges", 0.4): (12, 6), ("paths", 0.6): (24, 50), ("boundaries", 0.5): (4, 4)},
}
FIGURE_5: dict[float, Errors] = {0.75: (2, 31), 0.95: (0, 48)}  # edges of AML
