"""How far confidences can be trusted, in a sentence for those who need it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from eiderdown.confidence.summary import model_weights
from eiderdown.results import FoundModel, Weighting

ENOUGH = 50
"""Models (or runs) from which on a share has two digits worth reading."""

_NEARLY_ALL = 0.9  # of the runs, each with a model of its own


def doubts(
    models: Sequence[FoundModel], *, weighting: Weighting, same_rows: bool, more: str = "more runs"
) -> Iterator[str]:
    """Say what the number of models does not carry; at most one sentence.

    Parameters
    ----------
    models : sequence of FoundModel
        Distinct models.
    weighting : {"distinct", "runs", "score"}
        What each of them counts.
    same_rows : bool
        Whether all runs saw the same rows, so that nothing but the search's choices differed.
    more : str
        What might find other models.

    Examples
    --------
    >>> one = FoundModel((), (), None, 100)
    >>> list(doubts([one], weighting="distinct", same_rows=True))[0].split(":")[0]
    'All 100 runs found the same model'
    """
    n_runs = sum(model.n_runs for model in models)
    if n_runs == 1:
        yield "A single run says nothing about confidence; make more of them."
    elif len(models) == 1 and same_rows:
        yield (
            f"All {n_runs:,} runs found the same model: a confidence of 1 says that the search is "
            "certain, not that other rows of the same kind would give this model; resampled rows "
            "(source='resamples') can tell."
        )
    elif len(models) == 1 or weighting == "runs":
        if n_runs < ENOUGH:
            yield f"There are only {n_runs:,} runs; {_standard_error(n_runs)}"
    elif weighting == "score":
        yield from _heavy(models)
    elif len(models) > max(_NEARLY_ALL * n_runs, 1):
        yield (
            f"Nearly every run found another model ({len(models):,} of {n_runs:,}), so there are "
            f"many more; {_standard_error(len(models))}"
        )
    elif len(models) < ENOUGH:
        yield (
            f"The {n_runs:,} runs found only {len(models):,} different models, so confidences go "
            f"in steps of {1.0 / len(models):.2g}; {more} may find others."
        )


def _heavy(models: Sequence[FoundModel]) -> Iterator[str]:
    """Say when one model has so much weight that the others might as well not be there."""
    weights = model_weights(models, "score")
    best = float(weights.max() / weights.sum())
    if best > 0.9:
        yield (
            f"By its score the best of {len(models):,} models has {best:.0%} of the weight, so "
            "the confidences say little more than that model does; weighting='distinct' counts "
            "all models alike."
        )


def _standard_error(n: int) -> str:
    return (
        f"a confidence of 0.5 has a standard error of {math.sqrt(0.25 / n):.2g}, which more runs "
        "make smaller."
    )
