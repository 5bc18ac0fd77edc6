"""Slow, obvious scores to compare with: from lists of rows, term by term."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.special import gammaln
from scipy.stats import multivariate_t


def tables(codes, child, parents):
    """Count (stratum, child level) and strata, as they occur."""
    strata = list(zip(*(codes[z].tolist() for z in parents), strict=True)) or [()] * len(codes[0])
    cells = zip(strata, codes[child].tolist(), strict=True)
    return Counter(cells), Counter(strata)


def log_likelihood(codes, child, parents):
    cells, strata = tables(codes, child, parents)
    return math.fsum(n * math.log(n / strata[stratum]) for (stratum, _), n in cells.items())


def n_parameters(codes, n_categories, child, parents, observed=False):
    strata = len(tables(codes, child, parents)[1])
    combinations = strata if observed else math.prod(n_categories[z] for z in parents)
    return (n_categories[child] - 1) * combinations


def bic(codes, n_categories, child, parents, observed=False):
    price = 0.5 * math.log(len(codes[0]))
    free = n_parameters(codes, n_categories, child, parents, observed)
    return log_likelihood(codes, child, parents) - price * free


def aic(codes, n_categories, child, parents):
    free = n_parameters(codes, n_categories, child, parents)
    return log_likelihood(codes, child, parents) - free


def dirichlet(codes, child, parents, of_cell, of_stratum):
    """Log marginal likelihood; the prior weights of a cell and of a stratum are given."""
    cells, strata = tables(codes, child, parents)
    total = sum(gammaln(n + of_cell) - gammaln(of_cell) for n in cells.values())
    return total - sum(gammaln(n + of_stratum) - gammaln(of_stratum) for n in strata.values())


def bdeu(codes, n_categories, child, parents, size=1.0):
    n_strata = math.prod(n_categories[z] for z in parents)
    return dirichlet(
        codes, child, parents, size / (n_strata * n_categories[child]), size / n_strata
    )


def k2(codes, n_categories, child, parents):
    return dirichlet(codes, child, parents, 1.0, float(n_categories[child]))


def k2_penalised(codes, n_categories, child, parents):
    price = 0.5 * math.log(len(codes[0]))
    free = n_parameters(codes, n_categories, child, parents)
    return k2(codes, n_categories, child, parents) - price * free


def regret(n_rows, n_categories):
    """Sum as Mononen & Myllymaki (2008) do: over k of n^(k falling) (K-1)^(k rising) / (n^k k!)."""
    if n_categories > 2_000:  # and as Szpankowski & Weinberger (2012) where that takes long
        alpha = n_categories / n_rows
        c = 0.5 + 0.5 * math.sqrt(1 + 4 / alpha)
        inner = math.log(alpha) + (alpha + 2) * math.log(c) - 1 / c
        return n_rows * inner - 0.5 * math.log(c + 2 / alpha)
    if n_categories == 1:
        return 0.0
    total, term = 0.0, 0.0  # logarithms
    for k in range(n_rows):
        term += math.log((n_rows - k) * (n_categories - 1 + k) / (n_rows * (k + 1)))
        total = np.logaddexp(total, term)
    return total


def qnml(codes, n_categories, child, parents):
    n_rows, n_strata = len(codes[0]), math.prod(n_categories[z] for z in parents)
    quotient = regret(n_rows, n_strata * n_categories[child]) - regret(n_rows, n_strata)
    return log_likelihood(codes, child, parents) - quotient


DISCRETE = {
    "bic": bic,
    "aic": aic,
    "bdeu": bdeu,
    "qnml": qnml,
    "k2": k2,
    "k2_penalised": k2_penalised,
}


def gaussian_bic(values, child, parents):
    n = values.shape[1]
    design = np.column_stack([np.ones(n), *(values[z] for z in parents)])
    coefficients = np.linalg.lstsq(design, values[child], rcond=None)[0]
    variance = np.mean((values[child] - design @ coefficients) ** 2)
    likelihood = -0.5 * n * (math.log(2 * math.pi * variance) + 1)
    return likelihood - 0.5 * math.log(n) * (len(parents) + 2)


def bge(values, child, parents):
    """Chain the predictions, each a Student's t, of one row after the other."""
    together = _predicted(values[[child, *parents]])
    return together - (_predicted(values[list(parents)]) if len(parents) else 0.0)


def _predicted(values, mean_weight=1.0, extra_weight=2.0):
    size, n = values.shape
    mean, total = values.mean(axis=1), 0.0
    scatter = np.eye(size) * mean_weight * (extra_weight - 1.0) / (mean_weight + 1.0)
    for i in range(n):
        freedom = extra_weight + i + 1.0
        shape = scatter * (mean_weight + 1.0) / (mean_weight * freedom)
        total += multivariate_t.logpdf(values[:, i], mean, shape, df=freedom)
        step = values[:, i] - mean
        scatter = scatter + mean_weight / (mean_weight + 1.0) * np.outer(step, step)
        mean = mean + step / (mean_weight + 1.0)
        mean_weight += 1.0
    return total


def kernel_variance(grams, child, parents, kappa):
    """Kernel generalised variance from whole Gram matrices of all pairs of rows."""
    n = len(grams[0])
    together = _kernel_value([grams[i] for i in (*parents, child)], n, kappa)
    return together - _kernel_value([grams[i] for i in parents], n, kappa)


def _kernel_value(grams, n, kappa):
    parts = [_features(gram, n, kappa) for gram in grams]
    features = np.concatenate([np.empty((n, 0)), *parts], axis=1)
    correlations = features.T @ features
    start = 0
    for part in parts:
        own = slice(start, start + part.shape[1])
        correlations[own, own] = np.eye(part.shape[1])
        start = own.stop
    size = len(correlations)
    price = 0.5 * math.log(n) * size * (size + 1) / 2
    return -0.5 * n * np.linalg.slogdet(correlations)[1] - price


def _features(gram, n, kappa):
    centring = np.eye(n) - 1.0 / n
    variances, directions = np.linalg.eigh(centring @ gram @ centring)
    kept = variances >= n * kappa / 2
    return directions[:, kept] * (variances[kept] / (variances[kept] + n * kappa / 2))
