"""How sure one can be of what models say about pairs of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import GraphError, OptionError
from eiderdown.graphs import DAG, PDAG
from eiderdown.graphs.metrics import KINDS_OF_GROUP, FeatureGroup, FeatureKind
from eiderdown.results.codec import STORED_IF_ANY, stored_by
from eiderdown.results.graph_features import (
    FEATURE_KINDS,
    THRESHOLDS,
    ErrorCounts,
    FoundModel,
    GraphFeature,
    cheapest_threshold,
    check_threshold,
    columns_of_features,
    columns_of_models,
    count_errors,
    features_of_columns,
    in_order,
    models_of_columns,
    pair_of,
    pairs_in,
    passes,
)
from eiderdown.results.networks import markov_boundary
from eiderdown.results.result import Result, Run

if TYPE_CHECKING:
    import pandas

Weighting: TypeAlias = Literal["distinct", "runs", "score"]
Reference: TypeAlias = Literal["best model", "given graph"]


@dataclass(frozen=True, kw_only=True)
class FeatureConfidence(Result):
    """What the models of repeated searches agree on, and the best of them.

    Attributes
    ----------
    nodes : tuple of str
        The columns.
    features : tuple of GraphFeature
        Every feature that some model has, or that the reference has; by kind, then the most
        confident first, then by names.
    models : tuple of FoundModel
        The distinct models, the best first.
    source : str
        Where the models come from, for instance ``"kes"``.
    weighting : {"distinct", "runs", "score"}
        Whether each distinct model counts the same, by the number of runs that found it, or in
        proportion to ``exp(score)``.
    n_runs : int
        How many runs there were.
    gaps : tuple of int
        Numbers of runs that an interruption left unfinished before others that were finished.
    target : str or None
        The column that was asked about, if it was one.
    reference : {"best model", "given graph"}
        What ``in_model`` of the features refers to.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "feature_confidence"
    indent = None

    nodes: tuple[str, ...]
    features: tuple[GraphFeature, ...] = field(
        metadata=stored_by(
            lambda features, record: columns_of_features(features, record.nodes),
            lambda columns, earlier: features_of_columns(columns, earlier["nodes"]),
        )
    )
    models: tuple[FoundModel, ...] = field(
        metadata=stored_by(
            lambda models, record: columns_of_models(models, record.nodes),
            lambda columns, earlier: models_of_columns(columns, earlier["nodes"]),
        )
    )
    source: str
    weighting: Weighting
    n_runs: int
    target: str | None = None
    reference: Reference = "best model"
    gaps: tuple[int, ...] = field(default=(), metadata=STORED_IF_ANY)
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse models that are none of the columns, or that nobody found."""
        if not self.models:
            raise ValueError("it has no model")
        graph = self.model  # which refuses other columns
        if self.target is not None:
            graph.index(self.target)

    @cached_property
    def model(self) -> PDAG:
        """The best model; without edges if the models are boundaries."""
        return self.models[0].graph(self.nodes)

    @property
    def n_distinct(self) -> int:
        """How many distinct models there are."""
        return len(self.models)

    @property
    def groups(self) -> tuple[FeatureGroup, ...]:
        """The groups of features that the models speak of: all three, or boundaries alone."""
        return ("boundaries",) if self._of_boundaries else tuple(KINDS_OF_GROUP)

    def of_group(self, group: FeatureGroup) -> tuple[GraphFeature, ...]:
        """Return the features of a group, by kind, then the most confident first.

        Parameters
        ----------
        group : {"edges", "paths", "boundaries"}
            Edges are directed ones and undirected ones.
        """
        _check_group(group)
        return self._by_group[group]

    def confidence_of(self, kind: FeatureKind, left: str, right: str) -> float:
        """Return the confidence in one feature; 0 if no model has it."""
        if kind not in FEATURE_KINDS:
            raise OptionError(f"kind must be one of {FEATURE_KINDS}, not {kind!r}.")
        self.model.indices([left, right])
        return self._by_pair.get((kind, *pair_of(kind, left, right)), 0.0)

    def counts_at(self, group: FeatureGroup, threshold: float) -> ErrorCounts:
        """Count what passes a threshold against the features of the reference."""
        return self.curve(group, (threshold,))[0]

    def curve(
        self, group: FeatureGroup, thresholds: Sequence[float] | None = None
    ) -> tuple[ErrorCounts, ...]:
        """Return how false positives and false negatives change with the threshold.

        Parameters
        ----------
        group : {"edges", "paths", "boundaries"}
            The features to count.
        thresholds : sequence of float or None
            Where to count; None for .05, .10, ... 1.
        """
        _check_group(group)
        confidences, in_model = self._columns[group]
        return count_errors(confidences, in_model, THRESHOLDS if thresholds is None else thresholds)

    def suggested_threshold(
        self,
        group: FeatureGroup,
        *,
        false_positive_cost: float = 1.0,
        false_negative_cost: float = 1.0,
    ) -> float:
        """Return the threshold of .05, .10, ... 1 at which the errors cost least.

        Where several cost the same, it is the one in the middle of them.

        Parameters
        ----------
        group : {"edges", "paths", "boundaries"}
            The features to count.
        false_positive_cost, false_negative_cost : float
            What one error of each sort costs.
        """
        return cheapest_threshold(
            self.curve(group),
            false_positive_cost=false_positive_cost,
            false_negative_cost=false_negative_cost,
        )

    def boundary(self, target: str, threshold: float | None = None) -> dict[str, float]:
        """Return the members of a column's Markov boundary with the confidence in each.

        Parameters
        ----------
        target : str
            The column.
        threshold : float or None
            Least confidence; None for the one that is suggested for boundaries.

        Returns
        -------
        dict of str to float
            Confidence by member, the most confident first, then by names.
        """
        self.model.index(target)
        self._check_target(target)
        least = self.suggested_threshold("boundaries") if threshold is None else threshold
        check_threshold(least)
        found = {
            feature.right if feature.left == target else feature.left: feature.confidence
            for feature in self._by_group["boundaries"]
            if target in (feature.left, feature.right) and passes(feature.confidence, least)
        }
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def against(self, graph: DAG | PDAG) -> FeatureConfidence:
        """Return the same confidences with ``in_model`` told by a graph that is known.

        Parameters
        ----------
        graph : DAG or PDAG
            A graph of the same columns: a DAG, which stands for its essential graph, or a PDAG,
            taken as it stands.
        """
        if set(graph.nodes) != set(self.nodes):
            odd = sorted(set(graph.nodes) ^ set(self.nodes))[0]
            raise GraphError(
                f"The graph and the models must have the same columns, but only one of them has "
                f"{odd!r}; give a graph of the columns that were analysed."
            )
        known = self._pairs_known(graph)
        seen = [feature for feature in self.features if feature.confidence > 0.0]
        unseen = [
            GraphFeature(kind, left, right, 0.0, True)
            for kind, pairs in known.items()
            for left, right in pairs.difference((f.left, f.right) for f in seen if f.kind == kind)
        ]
        marked = [replace(f, in_model=(f.left, f.right) in known.get(f.kind, ())) for f in seen]
        return replace(self, features=in_order([*marked, *unseen]), reference="given graph")

    def to_frame(self, group: FeatureGroup | None = None) -> pandas.DataFrame:
        """Return the features of a group, or of all, as a pandas frame with a row for each.

        Parameters
        ----------
        group : {"edges", "paths", "boundaries"} or None
            The features; None for all.
        """
        shown = self if group is None else replace(self, features=self.of_group(group))
        return super(FeatureConfidence, shown).to_frame()

    @cached_property
    def _by_group(self) -> dict[FeatureGroup, tuple[GraphFeature, ...]]:
        return {
            group: tuple(feature for feature in self.features if feature.kind in kinds)
            for group, kinds in KINDS_OF_GROUP.items()
        }

    @cached_property
    def _by_pair(self) -> dict[tuple[FeatureKind, str, str], float]:
        return {(f.kind, f.left, f.right): f.confidence for f in self.features}

    @cached_property
    def _columns(self) -> dict[FeatureGroup, tuple[FloatArray, BoolArray]]:
        return {
            group: (
                np.array([feature.confidence for feature in features], dtype=np.float64),
                np.array([feature.in_model for feature in features], dtype=np.bool_),
            )
            for group, features in self._by_group.items()
        }

    @property
    def _of_boundaries(self) -> bool:
        return self.models[0].boundary is not None

    def _check_target(self, target: str) -> None:
        if self._of_boundaries and self.target not in (None, target):
            raise OptionError(
                f"Only the boundary of {self.target!r} was looked for, not that of {target!r}; "
                f"analyse boundaries of {target!r}, or whole graphs."
            )

    def _pairs_known(self, graph: DAG | PDAG) -> dict[FeatureKind, set[tuple[str, str]]]:
        """Return what a graph says of the kinds, and of the columns, that models speak of."""
        essential = graph.to_cpdag() if isinstance(graph, DAG) else graph
        if not self._of_boundaries:
            return pairs_in(essential)
        if self.target is None:
            return {"boundary": pairs_in(essential)["boundary"]}
        members = markov_boundary(essential, self.target)
        return {"boundary": {pair_of("boundary", self.target, member) for member in members}}


def _check_group(group: str) -> None:
    if group not in KINDS_OF_GROUP:
        raise OptionError(f"group must be one of {tuple(KINDS_OF_GROUP)}, not {group!r}.")
