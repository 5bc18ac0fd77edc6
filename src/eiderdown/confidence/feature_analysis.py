"""``FeatureAnalysis``: the confidence in edges, paths and boundaries, as an object to fit.

Pena, Kocka & Nielsen (2004), "Feature analysis".
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from eiderdown.confidence.earlier_runs import Earlier
from eiderdown.confidence.found_models import ModelSource
from eiderdown.confidence.given_models import analysed_models
from eiderdown.confidence.kes_options import KesOptions
from eiderdown.confidence.repeated_search import analysed_optima
from eiderdown.data import Dataset
from eiderdown.graphs import PDAG
from eiderdown.knowledge.file import KnowledgeSource
from eiderdown.results import FeatureConfidence, Weighting, issue_warnings
from eiderdown.scores import ScoreSource

if TYPE_CHECKING:
    import pandas


class FeatureAnalysis:
    """How sure one can be of edges, directed paths and Markov-blanket neighbours.

    A randomised search for networks is run often on the same table, and the confidence in a feature
    is the share of the distinct local optima that have it.

    Parameters
    ----------
    runs : int, default=1000
        How many searches.
    k : float, default=0.8
        Share of the improving moves among which a step takes the best: near 1 is greedy, 0 takes
        any.
    score : str, Score or callable, default="auto"
        A score that equivalent graphs share: a name, a configured score, or a function that makes
        one from a Dataset.
    weighting : {"distinct", "runs", "score"}, default="distinct"
        Whether each distinct model counts the same, by the number of runs that found it, or in
        proportion to ``exp(score)``.
    knowledge : Knowledge, mapping, path or None
        Tiers, required and forbidden edges, most parents.
    max_parents : int or None
        Most parents of any column.
    turning : bool, default=False
        Whether a step may also turn an edge: fewer and better optima.
    exclude : collection of str
        Columns that are not to be in the networks, such as identifiers.
    target : str or None
        The column that is asked about; reports are then about its boundary.
    random_state : int or None, default=0
        Seed; more runs begin with fewer. None for other choices each time.
    n_jobs : int or None
        Threads; None means every available core. The result does not depend on it.
    progress : bool, default=True
        Tell on stderr how many runs are made.
    state : str, Path or None
        A file in which runs are kept: read if it is there, written every half a minute and at the
        end, after Ctrl-C, too.

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

    def __init__(  # noqa: PLR0913  every option is named by those who use it
        self,
        runs: int = 1_000,
        k: float = 0.8,
        score: ScoreSource = "auto",
        *,
        weighting: Weighting = "distinct",
        knowledge: KnowledgeSource | None = None,
        max_parents: int | None = None,
        turning: bool = False,
        exclude: Collection[str] = (),
        target: str | None = None,
        random_state: int | None = 0,
        n_jobs: int | None = None,
        progress: bool = True,
        state: str | Path | None = None,
    ) -> None:
        self.runs = runs
        self.k = k
        self.score = score
        self.weighting = weighting
        self.knowledge = knowledge
        self.max_parents = max_parents
        self.turning = turning
        self.exclude = exclude
        self.target = target
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.state = state

    def fit(self, data: Any, *, resume: Earlier | None = None) -> Self:
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
        options = KesOptions(**self._parameters())
        self._take(analysed_optima(Dataset.of(data), options, resume=resume))
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
        self._take(analysed_models(models, weighting=self.weighting, target=self.target))
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
    def parents_children_(self) -> pandas.DataFrame:
        """Markov-blanket neighbours with the confidence in them."""
        return self._fitted.to_frame("neighbours")

    def boundary(self, target: str, threshold: float | None = None) -> dict[str, float]:
        """Return the Markov-blanket neighbours of a column with the confidence in each.

        Parameters
        ----------
        target : str
            The column.
        threshold : float or None
            Least confidence; None for the one that is suggested for neighbours.
        """
        return self._fitted.boundary(target, threshold)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self._parameters().items()
            if value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    @property
    def _fitted(self) -> FeatureConfidence:
        if not hasattr(self, "result_"):
            raise AttributeError(
                "This FeatureAnalysis has found nothing yet; call fit(data) or fit_models(models)."
            )
        return self.result_

    def _take(self, result: FeatureConfidence) -> None:
        self.result_ = result
        issue_warnings(result)
