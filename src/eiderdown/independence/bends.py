"""Are bends worth their cost? Chosen from the data, by cross-validated likelihood.

Powers of numbers see dependences that straight lines miss, and cost some power where lines are all
there is. Some columns are therefore predicted from those on which they depend most, straight and
bent, and each of those from the column: fitted to some rows, judged by the likelihood of the
others. The choice of predictors is made anew without the rows that judge, so that chance does not
make a bend. Of large tables some rows are enough: those that their contents choose, wherever they
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.sampled_rows import sampled_rows
from eiderdown.independence.wilks import WilksTest
from eiderdown.options import Option
from eiderdown.progress import Trace
from eiderdown.statistics import MomentStatistics

N_FOLDS = 3
"""Parts of the rows, each judged by a fit to the others."""

N_PREDICTORS = 4
"""Columns of which each is predicted, and which predict it."""

MOST_TARGETS = 12
"""Columns that are predicted where no target is given, evenly spaced in the order of names."""

MOST_COLUMNS = 1_000
"""With more numbers the columns are taken straight, unless bends are asked for."""

MIN_GAIN = {"number": 0.02, "class": 0.1}
"""Nats per row that bends must gain, for what they cost is power for everything else.

Measured: of numbers in straight tables none gains .02. Classes saturate, which looks like a bend;
REGED's gains .07, and 11 of its neighbours are found without bends and 10 with them.
"""

MOST_CLASSES = 5
"""Classes of a category that are told from all others; they are enough to see a bend."""

MIN_ROWS = 100
"""With fewer rows than this bends are not looked for."""

MOST_ROWS = 100_000
"""Rows that are asked: the gain of so many is known to about .001 nats per row."""

LEAST_OF_WIDE = 10_000
"""Rows that are asked at least, however many columns there are."""

_MOST_CELLS = 10_000_000
_NEWTON_STEPS = 8
_NO_STEP = 1e-9  # the next would be its square

BENT: Literal["cubic"] = "cubic"

BasisChoice: TypeAlias = Annotated[
    Literal["auto", "linear", "quadratic", "cubic"],
    Option(
        "how numbers may bend: straight, with their squares, with squares and cubes, or whichever "
        "predicts better in cross-validation"
    ),
]


def chosen_basis(
    data: Dataset, columns: IntArray, target: int | None, *, basis: BasisChoice, ranks: bool
) -> tuple[Literal["linear", "quadratic", "cubic"], str]:
    """Return the basis asked for, or the one that the data choose, with the reason."""
    if basis != "auto":
        return basis, f"the basis {basis!r} was asked for"
    return choose_basis(data, columns, target, ranks=ranks)


def choose_basis(
    data: Dataset, columns: IntArray, target: int | None, *, ranks: bool = False
) -> tuple[Literal["linear", "cubic"], str]:
    """Choose between straight lines and bends, and say why.

    Parameters
    ----------
    data : Dataset
        The table.
    columns : IntArray
        Columns that take part, the target among them.
    target : int or None
        The column around which is searched; None for none.
    ranks : bool
        Whether numbers are replaced by normal scores.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> noise = rng.normal(size=300)
    >>> straight = Dataset.from_columns({"x": x, "y": x + noise})
    >>> bent = Dataset.from_columns({"x": x, "y": x**2 + noise})
    >>> [choose_basis(table, np.arange(2), 1)[0] for table in (straight, bent)]
    ['linear', 'cubic']
    """
    numbers = columns[~data.is_discrete[columns]]
    if not 0 < len(numbers) <= MOST_COLUMNS or len(columns) < 2:
        many = f"more than {MOST_COLUMNS:,} columns are taken straight unless bends are asked for"
        return "linear", many if len(numbers) > MOST_COLUMNS else ""
    if data.n_complete(columns.tolist()) < MIN_ROWS:
        return "linear", f"with fewer than {MIN_ROWS} complete rows bends are not looked for"
    names = sorted(columns.tolist(), key=data.names.__getitem__)
    targets = [target] if target is not None else [names[i] for i in _spaced(len(names))]
    table = data.select([data.names[i] for i in names])
    if table.has_missing.any():
        table = table.complete_in(range(table.n_columns))
    most = min(MOST_ROWS, max(LEAST_OF_WIDE, _MOST_CELLS // table.n_columns))
    table = sampled_rows(table, most)
    gain = _gain(table, [names.index(t) for t in targets], ranks=ranks)
    gain /= len(targets) * table.n_rows
    said = f"squares and cubes gain {gain:.2f} nats per row in cross-validation"
    wanted = fmean(MIN_GAIN["class" if data.is_discrete[t] else "number"] for t in targets)
    return (BENT, said) if gain > wanted else ("linear", said)


def _spaced(n_columns: int) -> IntArray:
    """Return at most :data:`MOST_TARGETS` columns, evenly spaced."""
    spaced = np.linspace(0, n_columns - 1, min(MOST_TARGETS, n_columns))
    return np.unique(spaced.round().astype(np.int64))


def _gain(data: Dataset, targets: Sequence[int], *, ranks: bool) -> float:
    """Log-likelihood that bends gain on rows that took no part in choosing and fitting."""
    fold = _folds(data)
    whole = WilksTest(data, basis=BENT, ranks=ranks, n_jobs=1).statistics
    gain = 0.0
    for k in range(N_FOLDS):
        train, held_out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        test = WilksTest(data.take(train), basis=BENT, ranks=ranks, n_jobs=1)
        test.make_ready(np.array(targets, dtype=np.int64), Trace())
        for target in targets:
            others = np.delete(np.arange(data.n_columns), target)
            order = test.sweep(others, target).by_strength(test.name_rank)
            chosen = others[order[:N_PREDICTORS]].tolist()
            for y, predictors in ((target, chosen), *((x, [target]) for x in chosen)):
                gain += _difference(whole, y, predictors, train, held_out)
    return gain


def _folds(data: Dataset) -> IntArray:
    """Return the part of each row by what it holds, so that the order of rows decides nothing.

    Parts are dealt out in the order of at most :data:`MOST_TARGETS` columns.
    """
    columns = _spaced(data.n_columns)
    cells = [data.codes(i) if data.is_discrete[i] else data.values(i) for i in columns.tolist()]
    fold = np.empty(data.n_rows, np.int64)
    parts = np.arange(data.n_rows) % N_FOLDS
    fold[np.lexsort(cells)] = np.random.default_rng(0).permutation(parts)
    return fold


def _difference(
    columns: MomentStatistics,
    y: int,
    predictors: Sequence[int],
    train: IntArray,
    held_out: IntArray,
) -> float:
    """Log-likelihood of y on held-out rows: predictors bent less predictors straight."""
    bent = np.concatenate([columns.unit_columns(x) for x in predictors])
    widths = [columns.first[x + 1] - columns.first[x] for x in predictors]
    n_main = columns.n_main[list(predictors)]
    is_straight = np.concatenate([np.arange(n) < m for n, m in zip(widths, n_main, strict=True)])
    if is_straight.all():
        return 0.0
    data, scale = columns.data, np.sqrt(columns.data.n_rows)
    bent *= scale
    # A column is a row here, and rows of the table lie side by side.
    design = bent.take(train, axis=1), bent.take(held_out, axis=1)
    if data.is_discrete[y]:
        codes = data.codes(y)
        likely = [(codes == c).astype(np.float64) for c in np.unique(codes)[:MOST_CLASSES]]
        measure: Any = _class_gain
    else:
        likely, measure = [columns.unit_columns(y)[0] * scale], _gain_of_bends
    return sum(
        float(measure(*design, is_straight, one.take(train), one.take(held_out))) for one in likely
    )


def _class_gain(
    fitted: FloatArray,
    judged: FloatArray,
    is_straight: BoolArray,
    truth: FloatArray,
    truth_judged: FloatArray,
) -> float:
    """Return what bends add to the log-likelihood of being in a class or not."""
    bent = _class_log_likelihood(fitted, judged, truth, truth_judged)
    return bent - _class_log_likelihood(
        fitted[is_straight], judged[is_straight], truth, truth_judged
    )


def _class_log_likelihood(
    fitted: FloatArray, judged: FloatArray, truth: FloatArray, truth_judged: FloatArray
) -> float:
    """Log-likelihood of some rows under a logistic regression, with a slight prior, of others."""
    fitted, judged = (np.vstack([np.ones(x.shape[1]), x]) for x in (fitted, judged))
    slopes, prior = np.zeros(len(fitted)), np.ones(len(fitted))
    prior[0] = 1e-3
    for _ in range(_NEWTON_STEPS):
        p = _logistic(slopes @ fitted)
        gradient = fitted @ (truth - p) - prior * slopes
        weights = np.maximum(p * (1.0 - p), 1e-6)
        step = np.linalg.solve((fitted * weights) @ fitted.T + np.diag(prior), gradient)
        slopes = slopes + step
        if np.abs(step).max() < _NO_STEP:
            break
    p = np.clip(_logistic(slopes @ judged), 1e-6, 1.0 - 1e-6)
    return float(np.log(np.where(truth_judged > 0.0, p, 1.0 - p)).sum())


def _logistic(logits: FloatArray) -> FloatArray:
    p: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    return p


def _gain_of_bends(
    fitted: FloatArray,
    judged: FloatArray,
    is_straight: BoolArray,
    response: FloatArray,
    response_judged: FloatArray,
) -> float:
    """Return what bends add to the log-likelihood of some rows, fitted to others."""
    centre, level = fitted.mean(axis=1), response.mean()
    centred, left = fitted - centre[:, None], response - level
    products, with_response = centred @ centred.T, centred @ left

    def log_likelihood(chosen: BoolArray) -> float:
        slopes = np.zeros(len(chosen))  # of the others 0
        slopes[chosen] = np.linalg.lstsq(products[np.ix_(chosen, chosen)], with_response[chosen])[0]
        errors = left - slopes @ centred
        new_errors = (response_judged - (level - slopes @ centre)) - slopes @ judged
        # Student's t with 4 degrees of freedom (scaled to this variance): a few wild rows decide
        # less.
        half_variance = max(float(np.square(errors).mean()), 1e-30) / 2.0
        shared = 1.0 + np.square(new_errors) / (4.0 * half_variance)
        return -float(0.5 * np.log(half_variance) * len(shared) + 2.5 * np.log(shared).sum())

    return log_likelihood(np.ones_like(is_straight)) - log_likelihood(is_straight)
