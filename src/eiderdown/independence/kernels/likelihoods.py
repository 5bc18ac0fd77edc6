"""Log-likelihoods of regressions with their first and second derivatives, row by row.

A row's likelihood depends on its linear predictors, one for each class but the last (multinomial)
or a single one (the others), and on extra parameters that all rows share: the thresholds of an
ordinal regression, the size of a negative binomial one. ``_row_terms`` gives a row's derivatives by
both, and ``add_up`` sums them: parameters are the coefficients of the first predictor, of the
second, ..., then the extra ones. Terms without parameters are left out; they cancel in a ratio.

Cox's partial likelihood compares each event with the rows still at risk. Rows come in order of
time, the last first, so that a risk set grows as rows are read. Tied events by Efron's method.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel

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
    log_choose = math.lgamma(y + size) - math.lgamma(size)
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
    """Room for the terms of one row, for their sums over rows, and for sums over a risk set."""

    s: Annotated[FloatArray, "float64[::1]"]
    r: Annotated[FloatArray, "float64[::1]"]
    w: Annotated[FloatArray, "float64[:, ::1]"]
    slope: Annotated[FloatArray, "float64[::1]"]
    curve: Annotated[FloatArray, "float64[:, ::1]"]
    risk: Annotated[FloatArray, "float64[:, :, ::1]"]

    @classmethod
    def of(cls, n_columns: int, n_predictors: int, n_extra: int) -> Sums:
        """Make room for so many columns of the design."""
        n_terms, n_all = n_predictors + n_extra, n_predictors * n_columns + n_extra
        return cls(
            np.zeros(n_terms),
            np.zeros(n_terms),
            np.zeros((n_terms, n_terms)),
            np.zeros(n_all),
            np.zeros((n_all, n_all)),
            np.zeros((2, n_columns + 1, n_columns + 1)),
        )


@kernel("float64(Response, float64[:, ::1], int64, float64[::1], Sums)", inner=True)
def add_up(response, design, n_columns, parameters, sums):
    """Log-likelihood of all rows; fill its slope and minus its curvature, the lower half."""
    n_all = response.n_predictors * n_columns + response.n_extra
    for a in range(n_all):
        sums.slope[a] = 0.0
        for b in range(a + 1):
            sums.curve[a, b] = 0.0
    if response.family == COX:
        return _add_up_events(response, design, n_columns, parameters, sums)
    total = 0.0
    for i in range(design.shape[0]):
        total += _add_row(response, design, i, n_columns, parameters, sums)
    # Blocks of two predictors are symmetric; only their lower halves were summed.
    for j in range(response.n_predictors):
        for k in range(j):
            for a in range(n_columns):
                for b in range(a):
                    sums.curve[j * n_columns + b, k * n_columns + a] = sums.curve[
                        j * n_columns + a, k * n_columns + b
                    ]
    return total


@kernel("float64(Response, float64[:, ::1], int64, int64, float64[::1], Sums)", inner=True)
def _add_row(response, design, i, n, parameters, sums):
    """Add the terms of one row, with ``n`` columns of the design."""
    n_predictors = response.n_predictors
    s, r, w, slope, curve = sums.s, sums.r, sums.w, sums.slope, sums.curve
    for j in range(n_predictors):
        s[j] = 0.0
        for a in range(n):
            s[j] += parameters[j * n + a] * design[i, a]
    first_extra = n_predictors * n
    for e in range(response.n_extra):
        s[n_predictors + e] = parameters[first_extra + e]
    value = _row_terms(response, i, s, r, w)
    for j in range(n_predictors):
        for a in range(n):
            slope[j * n + a] += r[j] * design[i, a]
        for k in range(j + 1):
            for a in range(n):
                weighted = w[j, k] * design[i, a]
                for b in range(a + 1):
                    curve[j * n + a, k * n + b] += weighted * design[i, b]
    if response.n_extra:
        _add_extra(response, design, i, n, sums)
    return value


@kernel("void(Response, float64[:, ::1], int64, int64, Sums)", inner=True)
def _add_extra(response, design, i, n, sums):
    """Add a row's terms of the extra parameters."""
    n_predictors, first = response.n_predictors, response.n_predictors * n
    for e in range(response.n_extra):
        slopes, curves = sums.r[n_predictors + e], sums.w[n_predictors + e]
        sums.slope[first + e] += slopes
        for j in range(n_predictors):
            for a in range(n):
                sums.curve[first + e, j * n + a] += curves[j] * design[i, a]
        for f in range(e + 1):
            sums.curve[first + e, first + f] += curves[n_predictors + f]


@kernel("float64(Response, float64[:, ::1], int64, float64[::1], Sums)", inner=True)
def _add_up_events(response, design, n, parameters, sums):
    """Sum Cox's partial log-likelihood over the distinct times, the last first."""
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
