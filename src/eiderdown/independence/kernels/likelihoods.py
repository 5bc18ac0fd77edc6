"""Log-likelihoods of regressions with their first and second derivatives, row by row.

A row's likelihood depends on its linear predictors, one for each class but the last (multinomial)
or a single one (the others), and on extra parameters that all rows share: the thresholds of an
ordinal regression, the size of a negative binomial one. ``_row_terms`` gives a row's derivatives by
both, and ``add_up`` sums them: parameters are the coefficients of the first predictor, of the
second, ..., then the extra ones. Terms without parameters are left out; they cancel in a ratio.
Sums are made by the raw columns of a design (``regression_design.py``).

Cox's partial likelihood compares each event with the rows still at risk. Rows come in order of
time, the last first, so that a risk set grows as rows are read. Tied events by Efron's method.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.independence.kernels.regression_design import (
    Design,  # noqa: F401  named in signatures
    Shape,
    carry_curves,
    carry_slopes,
    fill_coefficients,
)
from eiderdown.kernels import kernel
from eiderdown.machine_functions import log_gamma

MULTINOMIAL: Final = 0
ORDINAL: Final = 1
POISSON: Final = 2
NEGATIVE_BINOMIAL: Final = 3
COX: Final = 4

_LARGEST = 700.0  # whose exponential is still finite
_LARGE = 10.0  # from where on the asymptotic series of digamma are exact
_MOST_LOG_SIZE = math.log(1e5)  # of a negative binomial: a Poisson, and log gamma loses its digits


class Response(NamedTuple):
    """What is explained, and how.

    ``y`` is the number of a class or category, a count, or with Cox 1 for an event and 0 for a
    censored row; ``time`` numbers the distinct times of such rows, and is empty otherwise.
    """

    family: int
    n_predictors: int
    n_extra: int
    y: Annotated[FloatArray, "const(float64[::1])"]
    time: Annotated[IntArray, "const(int64[::1])"]


@kernel("float64(float64)", inner=True)
def digamma(x):
    """Return the derivative of log gamma, x > 0 (Abramowitz & Stegun 6.3.5, 6.3.18)."""
    total = 0.0
    while x < _LARGE:
        total -= 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return total + math.log(x) - 0.5 / x - series


@kernel("float64(float64)", inner=True)
def trigamma(x):
    """Return the second derivative of log gamma, x > 0 (Abramowitz & Stegun 6.4.6, 6.4.12)."""
    total = 0.0
    while x < _LARGE:
        total += 1.0 / (x * x)
        x += 1.0
    f = 1.0 / (x * x)
    series = f * (1 / 6 - f * (1 / 30 - f * (1 / 42 - f * (1 / 30 - f * (5 / 66)))))
    return total + 1.0 / x + 0.5 * f + series / x


@kernel("float64(float64)", inner=True)
def _sigmoid(x):
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@kernel("float64(int64, int64, float64[::1], float64[::1], float64[:, ::1])", inner=True)
def _multinomial(n, y, s, r, w):
    highest = 0.0
    for j in range(n):
        highest = max(highest, s[j])
    total = math.exp(-highest)
    for j in range(n):
        r[j] = math.exp(s[j] - highest)
        total += r[j]
    for j in range(n):
        r[j] /= total
    for j in range(n):
        for k in range(j + 1):
            w[j, k] = -r[j] * r[k]
        w[j, j] += r[j]
    for j in range(n):
        r[j] = (1.0 if j == y else 0.0) - r[j]
    return (s[y] if y < n else 0.0) - highest - math.log(total)


@kernel("float64(int64, int64, float64[::1], float64[::1], float64[:, ::1])", inner=True)
def _ordinal(n_thresholds, y, s, r, w):
    """P(category <= k) = sigmoid(threshold k - predictor)."""
    for i in range(n_thresholds + 1):
        r[i] = 0.0
        for j in range(i + 1):
            w[i, j] = 0.0
    upper = _sigmoid(s[1 + y] - s[0]) if y < n_thresholds else 1.0
    lower = _sigmoid(s[y] - s[0]) if y > 0 else 0.0
    share = upper - lower
    if share <= 0.0:
        return -math.inf
    # Densities at both thresholds, and their slopes; 0 at the open ends.
    f, g = upper * (1.0 - upper), lower * (1.0 - lower)
    f_slope, g_slope = f * (1.0 - 2.0 * upper), g * (1.0 - 2.0 * lower)
    to_upper, to_lower = f / share, -g / share
    upper2 = to_upper * to_upper - f_slope / share
    lower2 = to_lower * to_lower + g_slope / share
    both = to_upper * to_lower
    r[0] = -(to_upper + to_lower)
    w[0, 0] = upper2 + lower2 + 2.0 * both
    if y < n_thresholds:
        r[1 + y] = to_upper
        w[1 + y, 0] = -(upper2 + both)
        w[1 + y, 1 + y] = upper2
    if y > 0:
        r[y] = to_lower
        w[y, 0] = -(lower2 + both)
        w[y, y] = lower2
        if y < n_thresholds:
            w[1 + y, y] = both
    return math.log(share)


@kernel("float64(float64, float64[::1], float64[::1], float64[:, ::1])", inner=True)
def _negative_binomial(y, s, r, w):
    """Mean exp(predictor), variance mean + mean^2 / size; the extra parameter is log size.

    Beyond the largest size the likelihood is flat.
    """
    mean, size = math.exp(min(s[0], _LARGEST)), math.exp(min(s[1], _MOST_LOG_SIZE))
    total = size + mean
    off = (y - mean) / total
    by_size = digamma(y + size) - digamma(size) + math.log(size / total) - off
    curve = trigamma(y + size) - trigamma(size) + mean / (size * total) + off / total
    r[0], r[1] = size * off, size * by_size
    w[0, 0] = size * mean * (size + y) / (total * total)
    w[1, 0] = -size * off * mean / total
    w[1, 1] = -size * (size * curve + by_size)
    if s[1] > _MOST_LOG_SIZE:
        r[1] = w[1, 0] = w[1, 1] = 0.0
    log_choose = log_gamma(y + size) - log_gamma(size)
    return log_choose + size * math.log(size / total) + y * (s[0] - math.log(total))


@kernel("float64(Response, int64, float64[::1], float64[::1], float64[:, ::1])", inner=True)
def _row_terms(response, i, s, r, w):
    """Log-likelihood of a row; fill its slopes r and minus its curvatures w, the lower half."""
    y = response.y[i]
    if response.family == MULTINOMIAL:
        return _multinomial(response.n_predictors, int(y), s, r, w)
    if response.family == ORDINAL:
        return _ordinal(response.n_extra, int(y), s, r, w)
    if response.family == POISSON:
        mean = math.exp(min(s[0], _LARGEST))
        r[0], w[0, 0] = y - mean, mean
        return y * s[0] - mean
    return _negative_binomial(y, s, r, w)


class Sums(NamedTuple):
    """Room for the terms of one row, for their sums by raw columns and by those of the design.

    ``w`` holds curvatures of two terms, ``pairs`` the same behind each other, ``risk`` sums over a
    risk set.
    """

    s: Annotated[FloatArray, "float64[::1]"]
    r: Annotated[FloatArray, "float64[::1]"]
    w: Annotated[FloatArray, "float64[:, ::1]"]
    pairs: Annotated[FloatArray, "float64[::1]"]
    coefficients: Annotated[FloatArray, "float64[:, ::1]"]
    raw_slope: Annotated[FloatArray, "float64[:, ::1]"]
    raw_curve: Annotated[FloatArray, "float64[:, :, ::1]"]
    half: Annotated[FloatArray, "float64[:, ::1]"]
    slope: Annotated[FloatArray, "float64[::1]"]
    curve: Annotated[FloatArray, "float64[:, ::1]"]
    risk: Annotated[FloatArray, "float64[:, :, ::1]"]

    @classmethod
    def of(cls, shape: Shape, response: Response) -> Sums:
        """Make room for a design of a shape."""
        n_terms = response.n_predictors + response.n_extra
        n_pairs = n_terms * (n_terms + 1) // 2
        n_raw = 0 if response.family == COX else shape.n_raw
        n_risk = shape.n_columns + 1 if response.family == COX else 0
        n_all = response.n_predictors * shape.n_columns + response.n_extra
        return cls(
            np.zeros(n_terms),
            np.zeros(n_terms),
            np.zeros((n_terms, n_terms)),
            np.zeros(n_pairs),
            np.zeros((n_raw, n_terms)),
            np.zeros((n_raw, n_terms)),
            np.zeros((n_raw, n_raw, n_pairs)),
            np.zeros((n_raw, shape.n_columns)),
            np.zeros(n_all),
            np.zeros((n_all, n_all)),
            np.zeros((2, n_risk, n_risk)),
        )


@kernel("float64(Response, Design, Shape, float64[::1], Sums)", inner=True)
def add_up(response, design, shape, parameters, sums):
    """Log-likelihood of all rows; fill its slope and minus its curvature, the lower half."""
    n_predictors, n = response.n_predictors, shape.n_columns
    if response.family == COX:
        for a in range(n):
            sums.slope[a] = 0.0
            for b in range(a + 1):
                sums.curve[a, b] = 0.0
        return _add_up_events(response, design.dense, n, parameters, sums)
    _begin(response, design, shape, parameters, sums)
    total = 0.0
    for i in range(design.place.shape[0]):
        total += _add_row(response, design, i, shape.n_entries, sums)
    carry_slopes(design, shape, n_predictors, sums.raw_slope, sums.slope)
    carry_curves(design, shape, n_predictors, sums.raw_curve, sums.half, sums.curve)
    if response.n_extra:
        _carry_extra(response, design, shape, sums)
    return total


@kernel("void(Response, Design, Shape, float64[::1], Sums)", inner=True)
def _begin(response, design, shape, parameters, sums):
    """Fill the coefficients of raw columns and the extra terms; nothing is summed yet."""
    n_predictors, n_terms = response.n_predictors, len(sums.s)
    fill_coefficients(design, shape, n_predictors, parameters, sums.coefficients)
    for t in range(n_predictors, n_terms):
        sums.s[t] = parameters[n_predictors * shape.n_columns + t - n_predictors]
    for r in range(shape.n_raw):
        for t in range(n_terms):
            sums.raw_slope[r, t] = 0.0
        for k in range(r + 1):
            for pair in range(len(sums.pairs)):
                sums.raw_curve[r, k, pair] = 0.0


@kernel("float64(Response, Design, int64, int64, Sums)", inner=True)
def _add_row(response, design, i, n_entries, sums):
    """Add the terms of one row."""
    n_predictors, s, r, w, pairs = response.n_predictors, sums.s, sums.r, sums.w, sums.pairs
    place, value = design.place, design.value
    for j in range(n_predictors):
        s[j] = 0.0
    for u in range(n_entries):
        for j in range(n_predictors):
            s[j] += value[i, u] * sums.coefficients[place[i, u], j]
    likelihood = _row_terms(response, i, s, r, w)
    pair = 0
    for t in range(len(r)):
        for k in range(t + 1):
            pairs[pair] = w[t, k]
            pair += 1
    for u in range(n_entries):
        at, own = place[i, u], value[i, u]
        for t in range(len(r)):
            sums.raw_slope[at, t] += own * r[t]
        for k in range(u + 1):
            both, other = own * value[i, k], place[i, k]
            for pair in range(len(pairs)):
                sums.raw_curve[at, other, pair] += both * pairs[pair]
    return likelihood


@kernel("void(Response, Design, Shape, Sums)", inner=True)
def _carry_extra(response, design, shape, sums):
    """Fill what belongs to extra parameters, the coefficients of the constant in their terms."""
    n_predictors, n = response.n_predictors, shape.n_columns
    for e in range(response.n_extra):
        t, row = n_predictors + e, n_predictors * n + e
        sums.slope[row] = sums.raw_slope[0, t]
        first_pair = t * (t + 1) // 2
        for j in range(n_predictors):
            for a in range(n):
                total = 0.0
                for r in range(shape.n_raw):
                    total += design.weights[r, a] * sums.raw_curve[r, 0, first_pair + j]
                sums.curve[row, j * n + a] = total
        for f in range(e + 1):
            pair = first_pair + n_predictors + f
            sums.curve[row, n_predictors * n + f] = sums.raw_curve[0, 0, pair]


@kernel("float64(Response, float64[:, ::1], int64, float64[::1], Sums)", inner=True)
def _add_up_events(response, design, n, parameters, sums):
    """Sum Cox's partial log-likelihood over the distinct times, the last first.

    Slope and curvature are added to what is there.
    """
    at_risk, tied = sums.risk[0], sums.risk[1]
    for a in range(n + 1):
        for b in range(a + 1):
            at_risk[a, b] = 0.0
    total, start = 0.0, 0
    while start < design.shape[0]:
        stop, n_events = start, 0
        for a in range(n + 1):
            for b in range(a + 1):
                tied[a, b] = 0.0
        while stop < design.shape[0] and response.time[stop] == response.time[start]:
            predictor = 0.0
            for a in range(n):
                predictor += parameters[a] * design[stop, a]
            risk, is_event = math.exp(min(predictor, _LARGEST)), response.y[stop] > 0.0
            _add_risk(at_risk, design, stop, n, risk)
            if is_event:
                _add_risk(tied, design, stop, n, risk)
                n_events += 1
                total += predictor
                for a in range(n):
                    sums.slope[a] += design[stop, a]
            stop += 1
        for k in range(n_events):
            total -= _leave_event(at_risk, tied, k / n_events, n, sums)
        start = stop
    return total


@kernel("void(float64[:, ::1], float64[:, ::1], int64, int64, float64)", inner=True)
def _add_risk(to, design, i, n, risk):
    """Add a row to sums of risk, risk times column (row n) and risk times two columns."""
    to[n, n] += risk
    for a in range(n):
        weighted = risk * design[i, a]
        to[n, a] += weighted
        for b in range(a + 1):
            to[a, b] += weighted * design[i, b]


@kernel("float64(float64[:, ::1], float64[:, ::1], float64, int64, Sums)", inner=True)
def _leave_event(at_risk, tied, share, n, sums):
    """Subtract one event's terms; of the events tied with it a share is no longer at risk."""
    risk = at_risk[n, n] - share * tied[n, n]
    for a in range(n):
        mean = (at_risk[n, a] - share * tied[n, a]) / risk
        sums.slope[a] -= mean
        for b in range(a + 1):
            other = (at_risk[n, b] - share * tied[n, b]) / risk
            square = (at_risk[a, b] - share * tied[a, b]) / risk
            sums.curve[a, b] += square - mean * other
    return math.log(risk)
