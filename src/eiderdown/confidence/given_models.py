"""Feature analysis of models that somebody else has found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from eiderdown.confidence.doubts import doubts
from eiderdown.confidence.found_models import (
    ModelCollection,
    ModelSource,
    columns_in,
    found_model,
)
from eiderdown.confidence.summary import summarised
from eiderdown.errors import OptionError
from eiderdown.results import AlternativeBoundary, FeatureConfidence, LocalResult, Run, Weighting

SOURCE = "given models"


def analysed_models(
    sources: Iterable[ModelSource], *, weighting: Weighting, target: str | None = None
) -> FeatureConfidence:
    """Say which features some models share.

    Parameters
    ----------
    sources : iterable of graphs and results
        See :func:`eiderdown.confidence.found_models.found_model`.
    weighting : {"distinct", "runs", "score"}
        What each distinct model counts.
    target : str or None
        The column that is asked about; boundaries name it themselves.
    """
    given = tuple(sources)
    if not given:
        raise OptionError("There are no models to analyse; give at least one.")
    found = [found_model(source) for source in given]
    nodes = tuple(dict.fromkeys(name for source in given for name in columns_in(source)))
    runs = [run for run in map(_run_of, given) if run is not None]
    target = _common_target(given, target)
    if target is not None and target not in nodes:
        raise OptionError(f"Target {target!r} is in none of the models; check its name.")
    _check_scores(runs, weighting)
    models = ModelCollection(found).ranked()
    return FeatureConfidence(
        nodes=nodes,
        features=summarised(models, nodes, weighting=weighting),
        models=models,
        source=SOURCE,
        weighting=weighting,
        n_runs=sum(model.n_runs for model in models),
        target=target,
        run=_record(runs, len(nodes)),
        warnings=tuple(doubts(models, weighting=weighting, same_rows=False)),
    )


def _run_of(source: ModelSource) -> Run | None:
    whose = source.boundary if isinstance(source, AlternativeBoundary) else source
    run: Run | None = getattr(whose, "run", None)
    return run


def _common_target(sources: Sequence[ModelSource], target: str | None) -> str | None:
    """Return the one column that boundaries are about; boundaries and graphs do not mix."""
    whose = [s.boundary if isinstance(s, AlternativeBoundary) else s for s in sources]
    local = [source for source in whose if isinstance(source, LocalResult)]
    if not local:
        return target
    if len(local) < len(whose) or len({type(source) for source in local}) > 1:
        raise OptionError(
            "Boundaries, neighbourhoods and graphs say different things; analyse each sort by "
            "itself."
        )
    targets = {source.target for source in local} | ({target} - {None})
    if len(targets) > 1:
        raise OptionError(
            f"These are about several targets, {', '.join(map(repr, sorted(map(str, targets))))}; "
            "analyse each by itself."
        )
    return local[0].target


def _check_scores(runs: Sequence[Run], weighting: Weighting) -> None:
    """Scores of different tables cannot be compared."""
    if weighting == "score" and len({run.fingerprint for run in runs}) > 1:
        raise OptionError(
            "weighting='score' compares scores on one table, but these models were learned from "
            "several; choose 'distinct' or 'runs'."
        )


def _record(runs: Sequence[Run], n_columns: int) -> Run:
    """Write down what the models' own records say together."""
    same = len({run.fingerprint for run in runs}) == 1
    run = Run.of(
        SOURCE,
        runs[0] if same else None,
        {"algorithms": sorted({run.algorithm for run in runs})},
        counts=runs,
        seconds=sum(run.seconds for run in runs),
    )
    return run if same else replace(run, n_columns=n_columns)
