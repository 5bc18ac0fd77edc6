"""Logarithms of tail probabilities, right down to where ordinary p-values are long zero.

A p-value below 1e-308 underflows and then ties with every other; its logarithm does not. Both
functions below are textbook series and continued fractions of the incomplete gamma and beta
functions (Abramowitz & Stegun 6.5.29, 6.5.31, 26.5.8), evaluated with the leading factor kept as a
logarithm. The kernels that need them call them without leaving compiled code.
"""

from __future__ import annotations

import math

from eiderdown.kernels import kernel
from eiderdown.machine_functions import log_gamma

_PRECISION = 1e-15
_BELOW_ONE = 1.0 - 2.0**-53
_LEAST_ABOVE_SHIFT = 1e-9  # nearer to the least value, y is what rounding left of a difference
_LEAST_SKEWNESS = 0.01  # of a distribution that is as good as normal
_TINY = 1e-300
_MOST_TERMS = 100_000
_MOST_SHORT_DOF = 60
_MOST_SHORT_X = 650.0  # exp(-x) and erfc(sqrt(x)) are still normal numbers
_NEAR_ZERO = -1e-3  # closer to 0 the finite sum loses digits of the logarithm
_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


@kernel("float64(float64)", inner=True)
def _away_from_zero(value):
    return _TINY if abs(value) < _TINY else value


@kernel("float64(float64, float64, float64)", inner=True)
def _beta_fraction(a, b, x):
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for k in range(1, _MOST_TERMS):
        even = k * (b - k) * x / ((a + 2 * k - 1.0) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1.0))
        d = 1.0 / _away_from_zero(1.0 + even * d)
        c = _away_from_zero(1.0 + even / c)
        fraction *= c * d
        d = 1.0 / _away_from_zero(1.0 + odd * d)
        c = _away_from_zero(1.0 + odd / c)
        step = c * d
        fraction *= step
        if abs(step - 1.0) < _PRECISION:
            break
    return fraction


@kernel("float64(float64, float64)", inner=True)
def log_gamma_tail(a, x):
    """Log of the regularised upper incomplete gamma function, for any a > 0 and x > 0."""
    log_factor = a * math.log(x) - x - log_gamma(a)
    if x < a + 1.0:
        term = total = 1.0 / a
        for k in range(1, _MOST_TERMS):
            term *= x / (a + k)
            total += term
            if term < total * _PRECISION:
                break
        below = math.exp(log_factor + math.log(total))
        return math.log1p(-min(below, _BELOW_ONE))
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = 1.0 / b
    fraction = d
    for k in range(1, _MOST_TERMS):
        numerator = -k * (k - a)
        b += 2.0
        d = 1.0 / _away_from_zero(numerator * d + b)
        c = _away_from_zero(b + numerator / c)
        step = c * d
        fraction *= step
        if abs(step - 1.0) < _PRECISION:
            break
    return log_factor + math.log(fraction)


@kernel("float64(int64, float64)", inner=True)
def _log_short_tail(dof, x):
    """Log of the same function at a = dof / 2, as the finite sum it is for whole dof.

    Q(k, x) = e^-x (1 + x + x^2/2! + ... ), k terms, and Q(k + 1/2, x) = erfc(sqrt x) + e^-x times a
    sum of k terms. Several times faster than the general way, which the caller takes where this one
    would lose digits: x so large that e^-x underflows, or an answer near 0.
    """
    has_half = dof % 2 == 1
    start = 1.5 if has_half else 1.0
    root = math.sqrt(x)
    term = root * _TWO_OVER_ROOT_PI if has_half else 1.0
    total = 0.0
    for k in range(dof // 2):
        total += term
        term *= x / (start + k)
    total *= math.exp(-x)
    return math.log(total + math.erfc(root)) if has_half else math.log(total)


@kernel("float64(float64, float64)", inner=True)
def log_chi_square_tail(statistic, dof):
    """Log of P(chi-square with ``dof`` degrees of freedom >= statistic)."""
    if dof <= 0.0 or statistic <= 0.0:
        return 0.0
    x = 0.5 * statistic
    whole = int(min(dof, 1e9))
    if whole == dof and whole <= _MOST_SHORT_DOF and x < _MOST_SHORT_X:
        log_p = _log_short_tail(whole, x)
        if log_p < _NEAR_ZERO:
            return log_p
    return log_gamma_tail(0.5 * dof, x)


@kernel("float64(float64, float64, float64, float64)", inner=True)
def log_shifted_gamma_tail(x, mean, variance, third):
    """Log of P(X >= x) for the shifted gamma (Pearson's type III) with three central moments."""
    third = max(third, _LEAST_SKEWNESS * variance * math.sqrt(variance))
    scale = 0.5 * third / variance
    shape = variance / (scale * scale)
    y = (x - mean) / scale + shape
    return log_gamma_tail(shape, y) if y > _LEAST_ABOVE_SHIFT else 0.0


@kernel("float64(float64, float64, float64)", inner=True)
def log_beta_tail(a, b, log_x):
    """Log of the regularised incomplete beta function at x, given as its logarithm.

    P(F >= f) of an F with d1 and d2 degrees of freedom is that of a = d2 / 2, b = d1 / 2 and
    x = d2 / (d2 + d1 f); Student's t is the F with d1 = 1.
    """
    if log_x >= 0.0:
        return 0.0
    x = math.exp(log_x)
    log_y = math.log(-math.expm1(log_x))
    log_factor = a * log_x + b * log_y + log_gamma(a + b) - log_gamma(a) - log_gamma(b)
    if x < (a + 1.0) / (a + b + 2.0):
        return log_factor + math.log(_beta_fraction(a, b, x) / a)
    log_complement = log_factor + math.log(_beta_fraction(b, a, -math.expm1(log_x)) / b)
    return math.log1p(-math.exp(log_complement)) if log_complement < 0.0 else 0.0
