"""``FeatureAnalysis``: the confidence in edges, paths and boundaries, as an object to fit.

Pena, Kocka & Nielsen (2004), "Feature analysis".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Self, Unpack

from eiderdown.confidence.features import (
    DistinctModels,
    ModelSource,
    columns_of,
    confidence_from,
    confidence_warnings,
    model_of,
)
from eiderdown.confidence.optima import OptimaOptions, confidence_by_kes
from eiderdown.confidence.saved_runs import SavedRuns
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.graphs import PDAG
from eiderdown.options import Option, checked_options, options_of, stores_params
from eiderdown.results import (
    AlternativeBoundary,
    FeatureConfidence,
    LearnedGraph,
    LocalResult,
    Run,
    Weighting,
    issue_warnings,
)

if TYPE_CHECKING:
    import pandas


SOURCE = "given models"


class FeatureAnalysisOptions(OptimaOptions, total=False):
    """What :class:`FeatureAnalysis` takes."""

    target: Annotated[
        str | None,
        Option("column that is asked about; reports are then about its boundary", default=None),
    ]


class FeatureAnalysis:
    """How sure one can be of edges, directed paths and members of Markov boundaries.

    A randomised search for networks is run often on the same table, and the confidence in a feature
    is the share of the distinct local optima that have it.

    Parameters
    ----------
    **params

    Attributes
    ----------
    result_ : FeatureConfidence
        All of it: confidences, models, curves, thresholds.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.confidence import FeatureAnalysis
    >>> data = networks.load("asia").sample(500, random_state=0)
    >>> analysis = FeatureAnalysis(runs=500, k=0.3, random_state=0).fit(data)
    >>> analysis.boundary("dysp", threshold=0.95)
    {'bronc': 1.0}
    >>> analysis.edges_.columns.tolist()
    ['kind', 'left', 'right', 'confidence', 'in_model']
    """

    result_: FeatureConfidence

    @stores_params
    def __init__(self, **params: Unpack[FeatureAnalysisOptions]) -> None: ...

    def fit(self, data: Any, *, resume: SavedRuns | None = None) -> Self:
        """Search often, and measure the confidence in what was found.

        Parameters
        ----------
        data : any table
            See :meth:`eiderdown.Dataset.of`.
        resume : FeatureConfidence, str, Path or None
            Runs made before on the same table with the same options, or the file they were saved
            in. With more ``runs`` it goes on as if it had never stopped.

        Returns
        -------
        FeatureAnalysis
            This object, fitted; interrupted with Ctrl-C, by the runs so far.
        """
        known = options_of(FeatureAnalysisOptions)
        options: Any = checked_options(known, self._params, type(self).__name__)
        target = options.pop("target")
        self._keep(confidence_by_kes(Dataset.of(data), options, target=target, resume=resume))
        return self

    def fit_models(self, models: Iterable[ModelSource]) -> Self:
        """Measure the confidence in what models from elsewhere say.

        Parameters
        ----------
        models : iterable of graphs and results
            Graphs (a DAG stands for its essential graph), learned networks or regions; or several
            boundaries of one column, such as :func:`eiderdown.find_boundaries` returns. Of the
            options only ``weighting`` and ``target`` matter.

        Returns
        -------
        FeatureAnalysis
            This object, fitted.

        Examples
        --------
        >>> from eiderdown import PDAG
        >>> graphs = [PDAG.from_string(text) for text in ["A->B<-C", "A--B--C"] * 50]
        >>> found = FeatureAnalysis(weighting="runs").fit_models(graphs)
        >>> found.boundary("A", threshold=0.4)
        {'B': 1.0, 'C': 0.5}
        """
        options = self._params
        weighting: Weighting = options["weighting"] or "distinct"
        self._keep(confidence_of_models(models, weighting=weighting, target=options["target"]))
        return self

    @property
    def model_(self) -> PDAG:
        """The best model."""
        return self._fitted.model

    @property
    def n_distinct_(self) -> int:
        """How many distinct models there are."""
        return self._fitted.n_distinct

    @property
    def edges_(self) -> pandas.DataFrame:
        """Directed and undirected edges with the confidence in them."""
        return self._fitted.to_frame("edges")

    @property
    def paths_(self) -> pandas.DataFrame:
        """Directed paths with the confidence in them."""
        return self._fitted.to_frame("paths")

    @property
    def boundaries_(self) -> pandas.DataFrame:
        """Pairs of which one is in the boundary of the other, with the confidence in them."""
        return self._fitted.to_frame("boundaries")

    def boundary(self, target: str, threshold: float | None = None) -> dict[str, float]:
        """Return the members of a column's Markov boundary with the confidence in each.

        Parameters
        ----------
        target : str
            The column.
        threshold : float or None
            Least confidence; None for the one that is suggested for boundaries.
        """
        return self._fitted.boundary(target, threshold)

    def __repr__(self) -> str:
        known = options_of(FeatureAnalysisOptions)
        changed = [
            f"{name}={value!r}"
            for name, value in self._params.items()
            if not known[name].is_default(value)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    @property
    def _params(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in options_of(FeatureAnalysisOptions)}

    @property
    def _fitted(self) -> FeatureConfidence:
        if not hasattr(self, "result_"):
            raise AttributeError(
                "This FeatureAnalysis has found nothing yet; call fit(data) or fit_models(models)."
            )
        return self.result_

    def _keep(self, result: FeatureConfidence) -> None:
        self.result_ = result
        issue_warnings(result)


def confidence_of_models(
    sources: Iterable[ModelSource], *, weighting: Weighting, target: str | None = None
) -> FeatureConfidence:
    """Measure the confidence in what models from elsewhere share; boundaries name their target."""
    given = tuple(sources)
    if not given:
        raise OptionError("There are no models to analyse; give at least one.")
    models = DistinctModels(map(model_of, given)).ranked()
    nodes = tuple(dict.fromkeys(name for source in given for name in columns_of(source)))
    bare = [s.boundary if isinstance(s, AlternativeBoundary) else s for s in given]
    runs = [source.run for source in bare if isinstance(source, LearnedGraph | LocalResult)]
    target = _common_target(bare, target)
    if target is not None and target not in nodes:
        raise OptionError(f"Target {target!r} is in none of the models; check its name.")
    if weighting == "score" and len({run.fingerprint for run in runs}) > 1:
        raise OptionError(
            "weighting='score' compares scores on one table, but these models were learned from "
            "several; choose 'distinct' or 'runs'."
        )
    return confidence_from(
        models,
        nodes,
        weighting,
        source=SOURCE,
        target=target,
        run=_record(runs, len(nodes)),
        warnings=tuple(confidence_warnings(models, weighting=weighting, same_rows=False)),
    )


def _common_target(sources: Sequence[ModelSource], target: str | None) -> str | None:
    """Return the one column that boundaries are about; boundaries and graphs do not mix."""
    local = [source for source in sources if isinstance(source, LocalResult)]
    if not local:
        return target
    if len(local) < len(sources) or len({type(source) for source in local}) > 1:
        raise OptionError(
            "Boundaries, parents and children, and graphs say different things; analyse each sort "
            "by itself."
        )
    targets = {source.target for source in local} | ({target} - {None})
    if len(targets) > 1:
        raise OptionError(
            f"These are about several targets, {', '.join(map(repr, sorted(map(str, targets))))}; "
            "analyse each by itself."
        )
    return local[0].target


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
