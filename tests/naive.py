"""Slow, obvious twins of the fast code; every one can be checked by reading it.

Columns are plain sequences, tables are dictionaries, and nothing is shared with the package.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import lgamma, log, prod

import numpy as np
from scipy import stats


def strata(columns, n_rows):
    """Label rows 0, 1, ... by the sorted combinations of the columns' values that occur."""
    keys = [tuple(int(column[i]) for column in columns) for i in range(n_rows)]
    label = {key: position for position, key in enumerate(sorted(set(keys)))}
    return [label[key] for key in keys]


def table(x, target, conditions, n_x_levels, n_target_categories):
    """Count (stratum, target level, x level), one row of the data at a time."""
    labels = strata(conditions, len(x))
    counts = Counter(zip(labels, map(int, target), map(int, x), strict=True))
    array = np.zeros((max(labels) + 1, n_target_categories, n_x_levels), dtype=np.int64)
    for cell, count in counts.items():
        array[cell] = count
    return array


def g_square(counts):
    """2 sum n ln(n n_z / (n_xz n_tz)) over the cells that are not empty."""
    total = 0.0
    for stratum in counts:
        of_target, of_x, rows = stratum.sum(axis=1), stratum.sum(axis=0), stratum.sum()
        for t, x in zip(*np.nonzero(stratum), strict=True):
            count = int(stratum[t, x])
            total += 2 * count * log(count * int(rows) / (int(of_target[t]) * int(of_x[x])))
    return total


def x_square(counts):
    """Sum (observed - expected)^2 / expected over the cells that could be filled."""
    total = 0.0
    for stratum in counts:
        of_target, of_x, rows = stratum.sum(axis=1), stratum.sum(axis=0), stratum.sum()
        for t in np.flatnonzero(of_target):
            for x in np.flatnonzero(of_x):
                expected = int(of_target[t]) * int(of_x[x]) / int(rows)
                total += (int(stratum[t, x]) - expected) ** 2 / expected
    return total


def adjusted_dof(counts):
    """Sum over strata of (target categories seen - 1)(x categories seen - 1)."""
    return sum(
        (np.count_nonzero(s.sum(axis=1)) - 1) * (np.count_nonzero(s.sum(axis=0)) - 1)
        for s in counts
    )


def nominal_dof(n_x_levels, n_target_categories, n_condition_levels):
    """(|x| - 1)(|t| - 1) times the product of the conditions' categories."""
    return (n_x_levels - 1) * (n_target_categories - 1) * prod(n_condition_levels)


def permuted_x_squares(stratum):
    """X2 of every distinct arrangement of one variable against the other, with its chance."""
    target = [t for t, size in enumerate(stratum.sum(axis=1)) for _ in range(size)]
    x = [c for c, size in enumerate(stratum.sum(axis=0)) for _ in range(size)]
    found = Counter()
    for arranged in permutations(x):
        table = np.zeros_like(stratum)
        np.add.at(table, (target, arranged), 1)
        found[round(x_square(table[None]), 9)] += 1
    values = np.array(list(found), dtype=float)
    return values, np.array(list(found.values())) / sum(found.values())


def central_moments(values, chances):
    """Mean, variance and third central moment."""
    mean = float(values @ chances)
    return mean, float((values - mean) ** 2 @ chances), float((values - mean) ** 3 @ chances)


def log_chance_of_table(stratum):
    """Log of the chance of a table among all with its margins."""
    margins = [*stratum.sum(axis=0), *stratum.sum(axis=1)]
    logs = sum(lgamma(n + 1) for n in margins) - lgamma(stratum.sum() + 1)
    return logs - sum(lgamma(n + 1) for n in stratum.ravel())


def partial_correlation(x, y, conditions):
    """Correlate what two least-squares regressions on the conditions leave of x and of y."""
    design = np.column_stack([np.ones(len(x)), *conditions])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    return float(left[0] @ left[1] / np.sqrt((left[0] @ left[0]) * (left[1] @ left[1])))


def wilks(x, y, conditions):
    """Rao's F of two blocks of columns given others, from residuals and their correlations.

    Blocks are lists of columns, without columns that repeat others. Returns lambda, F's two degrees
    of freedom, and log p.
    """
    design = np.column_stack([np.ones(len(x[0])), *conditions])
    left = []
    for block in (x, y):
        residuals = (
            np.column_stack(block)
            - design @ np.linalg.lstsq(design, np.column_stack(block), rcond=None)[0]
        )
        left.append(np.linalg.qr(residuals)[0])
    canonical = np.linalg.svd(left[0].T @ left[1], compute_uv=False)
    p, q, n = len(x), len(y), len(x[0])
    k = np.linalg.matrix_rank(design) - 1
    lambda_ = float(np.prod(1.0 - canonical**2))
    t = np.sqrt((p**2 * q**2 - 4) / (p**2 + q**2 - 5)) if p**2 + q**2 > 5 else 1.0
    d1 = p * q
    d2 = (n - 1 - k - (p + q + 1) / 2) * t - p * q / 2 + 1
    f = (lambda_ ** (-1 / t) - 1) * d2 / d1
    return lambda_, d1, d2, float(stats.f.logsf(f, d1, d2))


def max_p_over_subsets(test, x, target, pool, *, alpha, max_given, always=()):
    """Ask single tests, smallest subsets first in the order of names, until one separates."""
    names = test.names
    ordered = sorted((z for z in pool if z != x and z not in always), key=lambda z: names[z])
    answers = []
    for size in range(max_given - len(always) + 1):
        for subset in combinations(ordered, size):
            answers.append(test.test(x, target, [*always, *subset]))
            if answers[-1].independent(alpha):
                return answers[-1]
    decided = [answer for answer in answers if answer.decided(alpha)]
    return max(decided, key=lambda answer: answer.log_p) if decided else answers[0]


def separate_level(test, edges, pools, *, size, alpha):
    """Ask single tests about every edge from both ends, sets in the order of names.

    Returns for each edge the weakest dependence of all, and what separated it from either end.
    """
    answers = []
    for edge in edges:
        dependent, separating = [], [None, None]
        for turn, (target, x) in enumerate((edge, edge[::-1])):
            pool = sorted((z for z in pools[target] if z != x), key=lambda z: test.names[z])
            for given in combinations(pool, size):
                answer = test.test(x, target, given)
                if answer.independent(alpha):
                    separating[turn] = answer
                    break
                if answer.dependent(alpha):
                    dependent.append(answer)
        answers.append((max(dependent, key=lambda a: a.log_p, default=None), *separating))
    return answers


def relief(X, y, n_neighbours):
    """Go through rows, classes, neighbours and columns one at a time (ReliefF)."""
    rows, columns = range(len(X)), range(len(X[0]))
    scaled = _to_unit_interval(X)
    scores = [0.0] * len(columns)
    for i in rows:
        for code in sorted(set(y)):
            others = [j for j in rows if y[j] == code and j != i]
            nearest = sorted(others, key=lambda j: (_distance(scaled, i, j), j))[:n_neighbours]
            share = list(y).count(code) / sum(other != y[i] for other in y)
            weight = -1.0 if code == y[i] else share
            for j in nearest:
                for v in columns:
                    change = weight * abs(scaled[i][v] - scaled[j][v])
                    scores[v] += change / (len(nearest) * len(X))
    return scores


def relief_ratio(X, y, n_neighbours):
    """Divide the mean distance to the nearest misses, column by column, by that to the hits."""
    rows, columns = range(len(X)), range(len(X[0]))
    scaled = _to_unit_interval(X)
    misses, hits = [0.0] * len(columns), [0.0] * len(columns)
    for i in rows:
        for code in sorted(set(y)):
            others = [j for j in rows if y[j] == code and j != i]
            nearest = sorted(others, key=lambda j: (_distance(scaled, i, j), j))[:n_neighbours]
            share = list(y).count(code) / sum(other != y[i] for other in y)
            for j in nearest:
                for v in columns:
                    change = abs(scaled[i][v] - scaled[j][v]) / len(nearest)
                    if code == y[i]:
                        hits[v] += change
                    else:
                        misses[v] += share * change
    return [
        0.0 if miss == 0.0 else float("inf") if hit == 0.0 else miss / hit
        for miss, hit in zip(misses, hits, strict=True)
    ]


def relief_of_numbers(X, y, n_neighbours):
    """Count differences of the target, of a column, and of both at once (RReliefF)."""
    rows, columns = range(len(X)), range(len(X[0]))
    scaled, spread = _to_unit_interval(X), max(y) - min(y)
    of_target, of_column = 0.0, [0.0] * len(columns)
    of_both = [0.0] * len(columns)
    for i in rows:
        others = [j for j in rows if j != i]
        for j in sorted(others, key=lambda j: (_distance(scaled, i, j), j))[:n_neighbours]:
            share = 1.0 / min(n_neighbours, len(others))
            target_differs = abs(y[i] - y[j]) / spread
            of_target += target_differs * share
            for v in columns:
                differs = abs(scaled[i][v] - scaled[j][v])
                of_column[v] += differs * share
                of_both[v] += target_differs * differs * share
    return [
        of_both[v] / of_target - (of_column[v] - of_both[v]) / (len(X) - of_target) for v in columns
    ]


def _to_unit_interval(X):
    columns = range(len(X[0]))
    lows = [min(row[v] for row in X) for v in columns]
    spreads = [max(row[v] for row in X) - lows[v] or 1.0 for v in columns]
    return [[(row[v] - lows[v]) / spreads[v] for v in columns] for row in X]


def _distance(scaled, i, j):
    return round(sum(abs(a - b) for a, b in zip(scaled[i], scaled[j], strict=True)), 9)


def grow_shrink(score, child, before):
    """Parents of a column among some, by adding the best and then taking away the worst."""
    parents = []
    while True:
        larger = [(score.local(child, [*parents, x]), x) for x in before if x not in parents]
        best, x = max(larger, key=lambda pair: pair[0], default=(-np.inf, None))
        if best <= score.local(child, parents) + 1e-6:
            break
        parents.append(x)
    while parents:
        best, x = max((score.local(child, [z for z in parents if z != x]), x) for x in parents)
        if best <= score.local(child, parents) + 1e-6:
            break
        parents.remove(x)
    return parents


def order_score(score, order):
    """Score of the graph in which each column has its parents among those before it."""
    return sum(score.local(x, grow_shrink(score, x, order[:i])) for i, x in enumerate(order))


class TwoGenerations:
    """A memory of tests: when half of it is young, the old half goes and the young one is old."""

    def __init__(self, most_young: int) -> None:
        self.most_young, self.n_evicted = most_young, 0
        self.old: dict[object, object] = {}
        self.young: dict[object, object] = {}

    def __len__(self) -> int:
        return len(self.old) + len(self.young)

    def recalled(self, x, y, given):
        key = frozenset((x, y)), frozenset(given)
        return self.young.get(key, self.old.get(key))

    def remember(self, x, y, given, values) -> None:
        if self.recalled(x, y, given) is not None:
            return
        if len(self.young) == self.most_young:
            self.n_evicted += len(self.old)
            self.old, self.young = self.young, {}
        self.young[frozenset((x, y)), frozenset(given)] = values


def log_likelihood(family, y, design, parameters):
    """Log-likelihood of a regression, one row at a time; terms without parameters are left out."""
    n = design.shape[1]
    total = 0.0
    for row, own in zip(design, y, strict=True):
        if family == "multinomial":
            predictors = np.append(parameters.reshape(-1, n) @ row, 0.0)
            total += predictors[int(own)] - log(np.exp(predictors).sum())
            continue
        predictor, extra = float(parameters[:n] @ row), parameters[n:]
        if family == "ordinal":
            below = [0.0, *(1.0 / (1.0 + np.exp(predictor - extra))), 1.0]
            total += log(below[int(own) + 1] - below[int(own)])
        elif family == "poisson":
            total += own * predictor - np.exp(predictor)
        else:
            size, mean = np.exp(extra[0]), np.exp(predictor)
            chance = stats.nbinom.logpmf(own, size, size / (size + mean))
            total += chance + lgamma(own + 1.0)
    return total
